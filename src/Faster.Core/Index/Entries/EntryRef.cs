namespace Faster.Index.Entries;

/// <summary>
/// The entry of a hash as an operation has found it, or the place for one: opaque to all but the index that it is from
/// (<see cref="IEntryAccess{TSelf}"/>).
/// </summary>
/// <remarks>
/// Valid until the operation leaves its epoch. Not thread-safe: it belongs to an operation. Only
/// <see cref="Exists"/>, <see cref="Address"/> and <see cref="Pin"/> mean the same in every index.
/// </remarks>
internal unsafe struct EntryRef
{
    /// <summary>What holds the entry: the first bucket of its chain, or a record with entries.</summary>
    public void* Home;

    /// <summary>The entry's eight bytes; null when the hash has no entry.</summary>
    public ulong* Slot;

    /// <summary>
    /// What they held when the entry was found; 0 when there was none. Every index keeps the chain address where
    /// <see cref="EntryWord"/> has it.
    /// </summary>
    public ulong Word;

    /// <summary>Which entry of its home it is: a tag, or a position.</summary>
    public uint Tag;

    private int _pinned; // plus 1, so that a reference to nothing holds no pin

    /// <summary>What must be released before the epoch is left (<see cref="ITierIndex.Unpin"/>); -1: nothing.</summary>
    public int Pin
    {
        readonly get => _pinned - 1;
        init => _pinned = value + 1;
    }

    /// <summary>Whether the hash had an entry.</summary>
    public readonly bool Exists => Slot != null;

    /// <summary>The chain address that the entry held: negative in the read cache, 0 when there was none.</summary>
    public readonly long Address => EntryWord.AddressOf(Word);
}
