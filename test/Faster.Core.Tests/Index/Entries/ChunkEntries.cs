using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Store.Operations;

namespace Faster.Tests.Index.Entries;

/// <summary>The entries of a <see cref="ChunkIndex{TProbe}"/>: in records, perhaps on disk.</summary>
internal readonly struct ChunkEntries<TProbe>(ChunkIndex<TProbe> index) : IEntryAccess<ChunkEntries<TProbe>>
    where TProbe : struct, IProbe
{
    public static ChunkEntries<TProbe> Of(ITierIndex index) => new((ChunkIndex<TProbe>)index);

    public Outcome Locate(ulong hash, out EntryRef entry)
    {
        entry = new EntryRef { Tag = index.PlaceOf(hash) };
        Outcome found = index.Find(ref entry);
        return found == Outcome.EntryOnDisk ? found : Outcome.Ok;
    }

    public Outcome Find(ref EntryRef entry) => index.Find(ref entry);

    public Outcome Insert(in EntryRef entry, long address) => index.Change(entry, (ulong)address);

    public Outcome Replace(in EntryRef entry, long address) => index.Change(entry, (ulong)address);

    public Outcome Remove(in EntryRef entry) => index.Change(entry, 0);

    public bool IsShared(in EntryRef entry) => false;
}
