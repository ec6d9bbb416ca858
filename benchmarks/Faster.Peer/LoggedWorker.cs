using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Peer;

/// <summary>A client of FasterLog and its dictionary whose calls wait for a commit.</summary>
internal sealed class LoggedWorker(LoggedEngine engine) : UpsertWorker
{
    private readonly LoggedBatch _batch = new(KeyStream.ChunkLength);

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        _batch.Set(keys, mask);
        ValueTask committed = engine.WaitAsync(engine.Write(_batch));
        if (!committed.IsCompletedSuccessfully)
            committed.AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            words[i] = engine.WordOf(keys[i]);
    }
}
