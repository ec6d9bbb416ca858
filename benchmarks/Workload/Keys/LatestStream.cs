namespace Faster.Workload;

/// <summary>
/// Reads of the newest keys, and inserts of newer ones. Each thread inserts keys of its own, which are in turns with
/// those of the others, and reads what was loaded and what it has inserted itself.
/// </summary>
/// <remarks>
/// What is drawn are places: below <c>keys</c> that of a loaded key, above it the thread's own inserts in their order.
/// With each repetition of the stream all places move on by the inserts of a lap, so that inserts never end.
/// </remarks>
internal sealed class LatestStream : KeyStream
{
    private readonly int _loaded;
    private readonly int _threads;
    private readonly int _thread;
    private readonly int _insertsInLap;

    private LatestStream(int[] drawn, int loaded, int threads, int thread, int insertsInLap)
        : base(drawn)
    {
        _loaded = loaded;
        _threads = threads;
        _thread = thread;
        _insertsInLap = insertsInLap;
    }

    /// <summary>Draws a stream for each thread, into an array of its own.</summary>
    public static LatestStream[] Draw(KeyDraw draw, int threads, IReadOnlyList<int[]> arrays)
    {
        var ranks = new ZipfRanks(draw.Keys, draw.Theta);
        var streams = new LatestStream[threads];
        Parallel.For(0, threads, thread =>
        {
            var random = new SplitMix64((ulong)thread + 1);
            int[] drawn = arrays[thread];
            int next = draw.Keys;
            for (int i = 0; i < drawn.Length; i++)
                drawn[i] = random.NextUnit() < draw.Reads ? next - 1 - ranks.Next(ref random) : ~next++;
            streams[thread] = new LatestStream(drawn, draw.Keys, threads, thread, next - draw.Keys);
        });
        return streams;
    }

    /// <summary>How many keys were inserted by so many operations.</summary>
    public long InsertsAfter(long operations)
    {
        long inserts = operations / Drawn.Length * _insertsInLap;
        foreach (int place in Drawn[..(int)(operations % Drawn.Length)])
            inserts += place < 0 ? 1 : 0;
        return inserts;
    }

    /// <summary>The n-th key that this thread inserts, from 0.</summary>
    public long Inserted(long n) => _loaded + (n * _threads) + _thread;

    /// <inheritdoc/>
    protected override void Widen(ReadOnlySpan<int> from, Span<long> to)
    {
        long moved = Laps * _insertsInLap;
        for (int i = 0; i < from.Length; i++)
        {
            int sign = from[i] >> 31;
            long place = (from[i] ^ sign) + moved;
            long key = place < _loaded ? place : Inserted(place - _loaded);
            to[i] = key ^ sign;
        }
    }
}
