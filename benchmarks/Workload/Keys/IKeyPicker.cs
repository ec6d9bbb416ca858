namespace Faster.Workload;

/// <summary>Draws keys of one distribution. One thread's, unless it says otherwise.</summary>
internal interface IKeyPicker
{
    /// <summary>The next key.</summary>
    int Next(ref SplitMix64 random);
}

/// <summary>Each key alike. Immutable: threads may share it.</summary>
internal sealed class UniformKeys(int keys) : IKeyPicker
{
    /// <inheritdoc/>
    public int Next(ref SplitMix64 random) => random.NextBelow(keys);
}

/// <summary>
/// Scrambled Zipf: neighbouring ranks are spread over the keys, so that hot keys share no cache lines by having been
/// loaded together. Immutable: threads may share it.
/// </summary>
internal sealed class ZipfKeys(int keys, double theta) : IKeyPicker
{
    private readonly ZipfRanks _ranks = new(keys, theta);

    /// <inheritdoc/>
    public int Next(ref SplitMix64 random) => Scatter(_ranks.Next(ref random), keys);

    /// <summary>A permutation of the keys.</summary>
    public static int Scatter(int rank, int keys)
    {
        // A prime above any count of keys: multiplying by it permutes the residues.
        const long Prime = 2_147_483_647;
        return (int)(rank * Prime % keys);
    }
}

/// <summary>The requests of a trace from a place on, round and round.</summary>
internal sealed class TraceKeys(IReadOnlyList<int> trace, int start) : IKeyPicker
{
    private int _next = start;

    /// <inheritdoc/>
    public int Next(ref SplitMix64 random)
    {
        int key = trace[_next];
        _next = _next + 1 == trace.Count ? 0 : _next + 1;
        return key;
    }
}
