using Faster.Contracts;

namespace Faster.Tiers;

/// <summary>
/// What a store's sessions share about deltas (paper 000 §6.3): which keys have too many of them on disk, so that the
/// next read-modify-write collapses them; and how many were written and collapsed.
/// </summary>
/// <remarks>
/// One bit serves many keys. A key that is collapsed because of another one costs reads, and stays correct; so does a
/// key that is not collapsed because its bit was cleared for another one. Thread-safe, latch-free.
/// </remarks>
internal sealed class CollapseHints
{
    /// <summary>How many deltas of a key are left alone: an update that has met this many collapses them.</summary>
    public const int Bound = 8;

    private const int MarkBits = 14;

    private readonly ulong[] _marks = new ulong[1 << (MarkBits - 6)];
    private long _appended, _collapsed;

    /// <summary>The number of deltas that have been written.</summary>
    public long Appended => Volatile.Read(ref _appended);

    /// <summary>The number of deltas that have been merged into whole records.</summary>
    public long Collapsed => Volatile.Read(ref _collapsed);

    /// <summary>
    /// Tells whether the log has no space for deltas, which compaction would have to collapse; null where its size has
    /// no limit. Set before the first session.
    /// </summary>
    public Func<bool>? Limit { get; set; }

    /// <summary>Marks a key of which a read has met more deltas than <see cref="Bound"/>.</summary>
    public void Mark(ulong hash) => Interlocked.Or(ref WordOf(hash), MaskOf(hash));

    /// <summary>
    /// Whether the next read-modify-write must collapse a key's deltas: they are many, or space is short. What it
    /// reads, compaction need not, and that is what writers wait for then.
    /// </summary>
    public bool MustCollapse(ulong hash) => IsMarked(hash) || Limit?.Invoke() == true;

    /// <summary>Whether a key is marked.</summary>
    public bool IsMarked(ulong hash) => (Volatile.Read(ref WordOf(hash)) & MaskOf(hash)) != 0;

    /// <summary>Called when a delta has been linked.</summary>
    public void OnAppended() => Interlocked.Increment(ref _appended);

    /// <summary>Called when a whole record has replaced a key's deltas.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="deltas">The number of deltas that were replaced.</param>
    public void OnCollapsed(ulong hash, int deltas)
    {
        Interlocked.Add(ref _collapsed, deltas);
        if (IsMarked(hash)) Interlocked.And(ref WordOf(hash), ~MaskOf(hash));
    }

    private static int BitOf(ulong hash) => (int)(KeyHash.Spread(hash) >> (64 - MarkBits));

    private static ulong MaskOf(ulong hash) => 1UL << (BitOf(hash) & 63);

    private ref ulong WordOf(ulong hash) => ref _marks[BitOf(hash) >> 6];
}
