namespace Faster.Workload;

/// <summary>What the key streams of a run are drawn from.</summary>
/// <param name="Keys">How many keys are loaded: 0, 1, … .</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Reads">The part of the operations that read, from 0 to 1.</param>
internal sealed record KeyDraw(int Keys, KeyDistribution Distribution, double Reads = 1)
{
    /// <summary>The skew of Zipf's distribution, and of the latest keys.</summary>
    public double Theta { get; init; } = ZipfRanks.DefaultTheta;

    /// <summary>The keys of the numbers that are drawn; not for the latest keys.</summary>
    public KeyNames Names { get; init; }

    /// <summary>How many are drawn for each thread, in whole chunks.</summary>
    public int Length { get; init; } = KeyStream.LengthFor(Keys);

    /// <summary>The requests of a trace, as numbers of keys; for <see cref="KeyDistribution.Trace"/>.</summary>
    public IReadOnlyList<int>? Trace { get; init; }

    /// <summary>How many operations each stream has, in whole chunks.</summary>
    public int DrawnLength => Distribution == KeyDistribution.Trace && Trace is { } trace
        ? KeyStream.LengthOfChunks(trace.Count)
        : Length;

    /// <summary>Draws a stream for each thread, no two alike, the same ones each time.</summary>
    /// <param name="threads">How many threads.</param>
    /// <param name="arrays">
    /// What to draw into: an array of <see cref="DrawnLength"/> for each thread; null for new ones.
    /// </param>
    public KeyStream[] Streams(int threads, IReadOnlyList<int[]>? arrays = null)
    {
        arrays ??= NewArrays(threads);
        if (Distribution == KeyDistribution.Latest)
            return LatestStream.Draw(this, threads, arrays);
        Func<int, IKeyPicker> pickerOf = Pickers(threads);
        var streams = new KeyStream[threads];
        Parallel.For(0, threads, thread => streams[thread] = Draw(pickerOf(thread), thread, arrays[thread]));
        return streams;
    }

    /// <summary>Arrays to draw streams into.</summary>
    public int[][] NewArrays(int threads) => [.. Enumerable.Range(0, threads).Select(_ => new int[DrawnLength])];

    /// <summary>
    /// The pickers that draw the keys of each thread; not for the latest keys, which depend on inserts.
    /// </summary>
    public Func<int, IKeyPicker> Pickers(int threads)
    {
        switch (Distribution)
        {
            case KeyDistribution.Zipf:
                var zipf = new ZipfKeys(Keys, Theta);
                return _ => zipf;
            case KeyDistribution.HotSet or KeyDistribution.Moving:
                int moves = Distribution == KeyDistribution.Moving ? KeyStream.LengthFor(Keys) : 0;
                return _ => new HotSetKeys(Keys, moves);
            case KeyDistribution.Trace:
                return thread => new TraceKeys(Trace!, (int)((long)Trace!.Count * thread / threads));
            default:
                var uniform = new UniformKeys(Keys);
                return _ => uniform;
        }
    }

    private KeyStream Draw(IKeyPicker picker, int thread, int[] drawn)
    {
        var random = new SplitMix64((ulong)thread + 1);
        for (int i = 0; i < drawn.Length; i++)
        {
            int key = Names.Of(picker.Next(ref random));
            drawn[i] = Reads >= 1 || random.NextUnit() < Reads ? key : ~key;
        }

        return new KeyStream(drawn);
    }
}
