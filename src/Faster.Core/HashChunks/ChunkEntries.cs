using Faster.Contracts;
using Faster.Index.Entries;

namespace Faster.HashChunks;

/// <summary>The entries of a <see cref="ChunkIndex"/>: in records that may be on disk (paper 003 §6).</summary>
/// <remarks>No state, no decision: each call is one of the index.</remarks>
internal readonly struct ChunkEntries(ChunkIndex index) : IEntryAccess<ChunkEntries>
{
    /// <inheritdoc/>
    public static ChunkEntries Of(ITierIndex index) => new((ChunkIndex)index);

    /// <inheritdoc/>
    public Outcome Locate(ulong hash, out EntryRef entry)
    {
        entry = index.Locate(hash);
        return Outcome.Ok;
    }

    /// <inheritdoc/>
    public Outcome Find(ref EntryRef entry) => index.Find(ref entry);

    /// <inheritdoc/>
    public Outcome Insert(in EntryRef entry, long address) => index.Change(entry, address);

    /// <inheritdoc/>
    public Outcome Replace(in EntryRef entry, long address) => index.Change(entry, address);

    /// <inheritdoc/>
    public Outcome Remove(in EntryRef entry) => index.Change(entry, 0);

    /// <inheritdoc/>
    /// <remarks>A slot stays with its tag when its entry is removed: a shared one may be removed, too.</remarks>
    public bool IsShared(in EntryRef entry) => false;
}
