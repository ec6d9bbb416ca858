namespace Faster.Workload.Writes;

/// <summary>A client that writes, and fetches values to check them, but takes no part in mixes.</summary>
internal abstract class UpsertWorker : IWorker
{
    private const string Refusal = "Only blind updates are measured on this engine.";

    /// <inheritdoc/>
    public virtual long Read(ReadOnlySpan<long> keys) => throw new NotSupportedException(Refusal);

    /// <inheritdoc/>
    public abstract void Upsert(ReadOnlySpan<long> keys, long mask);

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys) => throw new NotSupportedException(Refusal);

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask) => throw new NotSupportedException(Refusal);

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys) => throw new NotSupportedException(Refusal);

    /// <inheritdoc/>
    public abstract void Fetch(ReadOnlySpan<long> keys, Span<long> words);

    /// <inheritdoc/>
    public virtual long Finish() => 0;

    /// <inheritdoc/>
    public virtual void Dispose()
    {
        // A client that needs nothing has nothing to give back.
    }
}
