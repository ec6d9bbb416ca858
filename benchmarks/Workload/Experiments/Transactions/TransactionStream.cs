using System.Runtime.InteropServices;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>Transactions that are drawn before they are measured, again and again. One thread's.</summary>
internal sealed class TransactionStream
{
    private const int Keys = 1 << 21, FullStreams = 8; // more than so many share the memory of these

    private readonly long[] _keys;
    private readonly byte[] _reads; // how many of each transaction's keys come first, to be read
    private readonly int _size;
    private readonly List<long> _groupReads = [], _groupUpdates = [];
    private int _next;

    /// <summary>Draws transactions.</summary>
    /// <param name="picker">Draws keys.</param>
    /// <param name="keys">How many keys there are.</param>
    /// <param name="cell">What transactions are.</param>
    /// <param name="seed">Another one for each thread.</param>
    public TransactionStream(IKeyPicker picker, int keys, TransactionCell cell, ulong seed)
    {
        _size = cell.Size;
        int most = Keys / Math.Max(1, cell.Threads / FullStreams);
        _reads = new byte[Math.Min(most, Math.Max(1024, keys)) / _size];
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

    /// <summary>Takes the keys of the next transactions; if there are several, keys may be equal.</summary>
    public void Take(int count, out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates)
    {
        TakeOne(out reads, out updates);
        if (count == 1) return;
        _groupReads.Clear();
        _groupUpdates.Clear();
        for (int left = count; ; TakeOne(out reads, out updates))
        {
            _groupReads.AddRange(reads);
            _groupUpdates.AddRange(updates);
            if (--left == 0) break;
        }

        reads = CollectionsMarshal.AsSpan(_groupReads);
        updates = CollectionsMarshal.AsSpan(_groupUpdates);
    }

    private void TakeOne(out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates)
    {
        int count = _reads[_next];
        ReadOnlySpan<long> own = _keys.AsSpan(_next * _size, _size);
        reads = own[..count];
        updates = own[count..];
        _next = _next + 1 == _reads.Length ? 0 : _next + 1;
    }
}
