namespace Faster.Workload.Writes;

/// <summary>
/// A session that has several writes under way, each in a slot. One call at a time, from any thread.
/// </summary>
internal interface IAwaitedWriter : IDisposable
{
    /// <summary>Begins to write a value as <see cref="IWorker.Upsert"/> does, in a slot that is free.</summary>
    void Begin(int slot, long key, long mask);

    /// <summary>Ends when the write of a slot is durable; the slot is free then.</summary>
    ValueTask EndAsync(int slot);
}
