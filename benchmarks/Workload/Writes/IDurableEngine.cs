namespace Faster.Workload.Writes;

/// <summary>
/// A store each of whose writes is durable when its call returns: <see cref="IWorker.Upsert"/> writes one key by a
/// single call, and several by one call that makes all of them durable at once.
/// </summary>
internal interface IDurableEngine : IEngine
{
    /// <summary>
    /// The syncs that made writes durable; null where the engine does not count them. Any thread may ask at any time.
    /// </summary>
    SyncCounts? Syncs => null;

    /// <summary>Whether each call has a sync of its own, which it shares with no other call.</summary>
    bool SyncsEachCall => false;

    /// <summary>Starts a session that has writes under way.</summary>
    /// <param name="depth">How many.</param>
    /// <exception cref="NotSupportedException">Calls of this engine wait.</exception>
    IAwaitedWriter StartAwaitedWriter(int depth) =>
        throw new NotSupportedException("Writes of this engine can't be awaited: its calls wait.");
}
