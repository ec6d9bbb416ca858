using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A client that does the updates of a mixed chunk first, and then its reads, each in batches.</summary>
internal abstract class DividingWorker : IWorker
{
    private readonly MixedChunk _mixed = new();

    /// <inheritdoc/>
    public abstract int CallLength { get; }

    /// <inheritdoc/>
    public abstract long Read(ReadOnlySpan<long> keys);

    /// <inheritdoc/>
    public abstract long CountAbsent(ReadOnlySpan<long> keys);

    /// <inheritdoc/>
    public abstract void Upsert(ReadOnlySpan<long> keys, long mask);

    /// <inheritdoc/>
    public abstract void Rmw(ReadOnlySpan<long> keys);

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        _mixed.Divide(keys);
        Upsert(_mixed.Updates, mask);
        return Read(_mixed.Reads);
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        _mixed.Divide(keys);
        Rmw(_mixed.Updates);
        return Read(_mixed.Reads);
    }

    /// <inheritdoc/>
    public abstract void Fetch(ReadOnlySpan<long> keys, Span<long> words);

    /// <inheritdoc/>
    public abstract void Dispose();
}
