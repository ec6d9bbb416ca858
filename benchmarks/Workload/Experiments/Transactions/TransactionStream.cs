namespace Faster.Workload.Experiments.Transactions;

/// <summary>Transactions that are drawn before they are measured, again and again. One thread's.</summary>
internal sealed class TransactionStream
{
    private const int Keys = 1 << 21;

    private readonly long[] _keys;
    private readonly byte[] _reads; // how many of each transaction's keys come first, to be read
    private readonly int _size;
    private int _next;

    /// <summary>Draws transactions.</summary>
    /// <param name="picker">Draws keys.</param>
    /// <param name="keys">How many keys there are.</param>
    /// <param name="cell">What transactions are.</param>
    /// <param name="seed">Another one for each thread.</param>
    public TransactionStream(IKeyPicker picker, int keys, TransactionCell cell, ulong seed)
    {
        _size = cell.Size;
        _reads = new byte[Math.Min(Keys, Math.Max(1024, keys)) / _size];
        _keys = new long[_reads.Length * _size];
        var random = new SplitMix64(seed);
        for (int i = 0; i < _reads.Length; i++)
        {
            Span<long> own = _keys.AsSpan(i * _size, _size);
            for (int j = 0; j < _size; j++)
            {
                long key = picker.Next(ref random);
                while (own[..j].Contains(key)) key = (key + 1) % keys;
                own[j] = key;
                if (random.NextBelow(100) >= cell.UpdatePercent) _reads[i]++;
            }
        }
    }

    /// <summary>Takes the next transaction.</summary>
    public void Take(out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates)
    {
        int count = _reads[_next];
        ReadOnlySpan<long> own = _keys.AsSpan(_next * _size, _size);
        reads = own[..count];
        updates = own[count..];
        _next = _next + 1 == _reads.Length ? 0 : _next + 1;
    }
}
