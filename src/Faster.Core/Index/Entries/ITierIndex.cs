using Faster.Contracts;
using Faster.Epochs;
using Faster.Log.Reads;

namespace Faster.Index.Entries;

/// <summary>
/// The index of a tier, as an operation sees it that has ended its attempt: what it has pinned, and what it waits for.
/// </summary>
/// <remarks>
/// Not on the hit path: calls are virtual. Attempts use an <see cref="IEntryAccess{TSelf}"/>. Thread-safe.
/// </remarks>
internal unsafe interface ITierIndex
{
    /// <summary>Releases a pin of <see cref="EntryRef.Pin"/>: once, before the operation's epoch is left.</summary>
    void Unpin(int pin);

    /// <summary>
    /// Finds where a hash's chain begins, for a search that changes nothing. Under the caller's epoch.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="address">The chain address; 0 when there is none.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.NotFound"/>, the hash has no entry; or why that is not known:
    /// <see cref="Outcome.IndexResizing"/> or <see cref="Outcome.EntryOnDisk"/>. Nothing stays pinned.
    /// </returns>
    Outcome FindChain(ulong hash, out long address);

    /// <summary>
    /// Called after <see cref="Outcome.IndexResizing"/>, outside any epoch: does a part of the work if one is free;
    /// otherwise waits briefly for the threads that do.
    /// </summary>
    /// <param name="slot">The caller's slot, which is entered meanwhile.</param>
    /// <param name="lacksSpace">Whether the record allocator must free space first: wait for that.</param>
    /// <returns>Whether a part was done.</returns>
    bool HelpResize(EpochSlot* slot, out bool lacksSpace);

    /// <summary>
    /// Called after <see cref="Outcome.EntryOnDisk"/>, outside any epoch: reads what holds the entry of a hash, so that
    /// a later attempt finds it in memory. Does not wait.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="onRead">
    /// Called once, on any thread, when the entry may be looked for again; or with the error that prevents it.
    /// </param>
    /// <param name="own">The read queue of the session that waits; null for the shared one.</param>
    void ReadEntry(ulong hash, Action<Exception?> onRead, ReadQueue? own = null);
}
