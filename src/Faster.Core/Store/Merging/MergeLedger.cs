namespace Faster;

/// <summary>
/// What a store's sessions tell each other of partial values (paper 000 §6.3): which keys have too many of them on
/// disk, so that the next read-modify-write collapses them; and how many were written and collapsed.
/// </summary>
/// <remarks>
/// One bit serves many keys: a key that is collapsed for another one's sake costs reads, and is right all the same; so
/// is one that is not collapsed, because its bit was cleared for another's. Thread-safe, latch-free.
/// </remarks>
internal sealed class MergeLedger
{
    /// <summary>How many partial records of a key are let be: whoever has met as many collapses them.</summary>
    public const int Bound = 8;

    private const int MarkBits = 14;

    private readonly ulong[] _marks = new ulong[1 << (MarkBits - 6)];
    private long _appended, _collapsed;

    /// <summary>How many delta records have been written.</summary>
    public long Appended => Volatile.Read(ref _appended);

    /// <summary>How many have been merged into whole records.</summary>
    public long Collapsed => Volatile.Read(ref _collapsed);

    /// <summary>A read has met more partial records of a key than the bound.</summary>
    public void Mark(ulong hash) => Interlocked.Or(ref WordOf(hash), MaskOf(hash));

    /// <summary>Whether the next read-modify-write is to collapse a key's partial records.</summary>
    public bool IsMarked(ulong hash) => (Volatile.Read(ref WordOf(hash)) & MaskOf(hash)) != 0;

    /// <summary>A delta record has been linked.</summary>
    public void OnAppended() => Interlocked.Increment(ref _appended);

    /// <summary>A whole record has taken the place of a key's partial ones.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="deltas">How many there were.</param>
    public void OnCollapsed(ulong hash, int deltas)
    {
        Interlocked.Add(ref _collapsed, deltas);
        if (IsMarked(hash)) Interlocked.And(ref WordOf(hash), ~MaskOf(hash));
    }

    private static int BitOf(ulong hash) => (int)((hash * 0x9E3779B97F4A7C15) >> (64 - MarkBits));

    private static ulong MaskOf(ulong hash) => 1UL << (BitOf(hash) & 63);

    private ref ulong WordOf(ulong hash) => ref _marks[BitOf(hash) >> 6];
}
