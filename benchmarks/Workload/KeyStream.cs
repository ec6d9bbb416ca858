namespace Faster.Workload;

/// <summary>The keys that one thread uses, drawn before the run so that drawing costs the run nothing.</summary>
/// <remarks>Two keys are drawn for each that is loaded, up to a limit, and the stream then repeats: long enough that
/// no cache keeps what a repetition touches. Unsynchronized: one thread's.</remarks>
internal sealed class KeyStream
{
    /// <summary>How many keys a thread takes at a time; the clock is looked at in between.</summary>
    public const int ChunkLength = 1024;

    private const int LeastLength = 1 << 16;
    private const int GreatestLength = 1 << 24;

    private readonly long[] _keys;
    private int _next;

    private KeyStream(long[] keys) => _keys = keys;

    /// <summary>Draws a stream for each thread, no two alike, the same ones each time.</summary>
    public static KeyStream[] Draw(RunSettings settings) =>
        Draw(settings.Keys, settings.Threads, settings.Distribution, reads: 1);

    /// <summary>
    /// As above, for a mix of operations: a key is to be read with probability <paramref name="reads"/>, and otherwise
    /// to be updated, for which its complement, which is negative, stands in the stream.
    /// </summary>
    public static KeyStream[] Draw(int keys, int threads, KeyDistribution distribution, double reads)
    {
        int length = (int)Math.Clamp(2L * keys, LeastLength, GreatestLength) / ChunkLength * ChunkLength;
        ZipfRanks? ranks = distribution == KeyDistribution.Zipf ? new ZipfRanks(keys) : null;
        var streams = new KeyStream[threads];
        Parallel.For(0, threads, thread =>
        {
            var random = new SplitMix64((ulong)thread + 1);
            var drawn = new long[length];
            for (int i = 0; i < drawn.Length; i++)
            {
                long key = ranks is null ? random.NextBelow(keys) : Scatter(ranks.Next(ref random), keys);
                drawn[i] = reads >= 1 || random.NextUnit() < reads ? key : ~key;
            }

            streams[thread] = new KeyStream(drawn);
        });
        return streams;
    }

    /// <summary>The first chunk of the stream, whatever was taken since.</summary>
    public ReadOnlySpan<long> First => _keys.AsSpan(0, ChunkLength);

    /// <summary>The next chunk of keys.</summary>
    public ReadOnlySpan<long> Take() => Take(ChunkLength);

    /// <summary>The next keys, as many as asked for or fewer, but at least one.</summary>
    public ReadOnlySpan<long> Take(int count)
    {
        if (_next == _keys.Length)
            _next = 0;
        ReadOnlySpan<long> chunk = _keys.AsSpan(_next, Math.Min(count, _keys.Length - _next));
        _next += chunk.Length;
        return chunk;
    }

    /// <summary>
    /// Spreads neighbouring ranks, so that hot keys do not share cache lines by having been loaded together.
    /// </summary>
    private static long Scatter(int rank, int keys)
    {
        // A prime above any count of keys: multiplying by it permutes the residues.
        const long Prime = 2_147_483_647;
        return rank * Prime % keys;
    }
}
