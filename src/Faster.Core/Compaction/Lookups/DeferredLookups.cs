using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Lookups;

/// <summary>
/// Look-ups of a compaction whose chains lead to records on disk, in the log that is compacted or in that of the tier
/// above, put off until there are many, and then done in the order of the addresses that they lead to (paper 003 §5:
/// one pass over the log in place of a random read for each record).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is dropped only if a newer record of the same key has been read, to which the key's chain led when
/// the look-up was put off, and which no recovery has discarded. In one log it is newer if its address is higher; that
/// one in the tier above is newer is the caller's knowledge (<see cref="Batches.RecordsAbove"/>).</item>
/// <item>Every other record is left by <see cref="Resolve(PageCopy, ICopyStage, bool)"/>, once, for a
/// look-up of its own: also if the other record has another key, is damaged, or can't be read.</item>
/// </list>
/// <para><b>Why what was read is still true later.</b> The newer record lies below Head, so it is immutable, and no
/// older one of its key becomes the newest again. In one log Begin passes the older record first. If one run compacts
/// both, the newer one is copied, or has a newer one, before Begin rises. So the record may be dropped, as if its
/// conditional insert had found the newer one. A newer record in the tier above may be truncated there before it is
/// read; then its copy was linked below before, or that of a newer one. What is read in its place is refused by its
/// block's checksum, or is left. ∎</para>
/// <para>Not thread-safe: it belongs to a thread of the compaction; used outside every epoch.</para>
/// </remarks>
internal sealed unsafe class DeferredLookups
{
    private readonly CopyThread _thread;
    private readonly Tier _newer;
    private readonly PagedLog _log;
    private readonly ulong _excluded;
    private readonly LookupTable _table;
    private readonly SortedReads _reads;
    private readonly List<long> _left = [];
    private long _used; // of the table, at the end of the page before
    private long _recordBytes; // of the records whose look-ups are put off

    /// <summary>Prepares look-ups of newer records in the log that is compacted.</summary>
    /// <param name="thread">The thread that they belong to.</param>
    /// <param name="memory">The memory for them, which outlives them; none: none is put off.</param>
    public DeferredLookups(CopyThread thread, in LookupMemory memory)
        : this(thread, memory, thread.Route.From, excluded: 0)
    {
    }

    /// <summary>Prepares look-ups of newer records in any log, which has pages of the same size.</summary>
    /// <param name="thread">The thread that they belong to.</param>
    /// <param name="memory">The memory for them, which outlives them; none: none is put off.</param>
    /// <param name="newer">The tier whose log has the newer records.</param>
    /// <param name="excluded">The flags of records that supersede none.</param>
    public DeferredLookups(CopyThread thread, in LookupMemory memory, Tier newer, ulong excluded)
    {
        (_thread, _newer, _log, _excluded) = (thread, newer, newer.PagedLog!, excluded);
        _reads = new SortedReads(newer.Storage!, memory.Reads, Math.Min(memory.ReadBytes, SortedReads.MaxBytes));
        _table = new LookupTable(memory.Table, memory.TableBytes);
    }

    /// <summary>The records whose look-ups are put off.</summary>
    public PutOffRecords PutOff => new(_table.Entries.Length, _recordBytes);

    /// <summary>Puts a look-up off.</summary>
    /// <param name="record">The record.</param>
    /// <param name="newer">The address of the record on disk that its chain leads to.</param>
    /// <returns>
    /// False: there is no memory left until the look-ups are made, or the other record is too small to have the key.
    /// </returns>
    public bool TryDefer(in PageRecord record, long newer)
    {
        int size = _log.Layout.KeySlotSize(record.Bytes), length = RecordHeader.Size + size;
        if (length > _reads.MaxLength || length > _log.PageEndOf(newer) - newer
            || !_table.TryAdd(record.Address, newer, record.Bytes + RecordHeader.Size, size)) return false;
        _recordBytes += record.Size;
        return true;
    }

    /// <summary>
    /// Reads the records that the look-ups lead to, and then, page by page, those of their own that have not been found
    /// to be superseded, for a look-up of their own.
    /// </summary>
    /// <param name="page">The memory of a page; the look-ups may read there before.</param>
    /// <param name="stage">Takes the records that are left, in the order of addresses.</param>
    /// <param name="all">Whether this must be done even if there is enough memory for another page.</param>
    public void Resolve(PageCopy page, ICopyStage stage, bool all)
    {
        if (!IsNearlyFull() && !all) return;
        List<long> addresses = Resolve();
        for (int i = 0; i < addresses.Count;)
        {
            long start = _log.PageStartOf(addresses[i]), end = _log.PageEndOf(addresses[i]);
            byte* bytes = page.Load(start, end);
            for (; i < addresses.Count && addresses[i] < end; i++)
            {
                _thread.CheckStop();
                stage.Take(_thread.RecordAt(bytes + (addresses[i] - start), addresses[i]), mayPutOff: false);
            }

            stage.Settle();
        }
    }

    // Whether the table has hardly space for another page; called after each. If it were full within a page, the rest
    // of the page would be looked up at once.
    private bool IsNearlyFull()
    {
        long taken = _table.UsedBytes - _used;
        _used = _table.UsedBytes;
        return _table.FreeBytes < taken + (taken / 4);
    }

    // The addresses, ascending, of the records that have not been found to be superseded.
    private List<long> Resolve()
    {
        _left.Clear();
        _table.Entries.Sort();
        var superseders = new Superseders(this);
        _reads.Run(_table.Entries.Length, ref superseders);
        _table.Clear();
        (_used, _recordBytes) = (0, 0);
        _left.Sort();
        return _left;
    }

    private bool Supersedes(in LookupTable.Entry entry, byte* record)
    {
        ulong header = RecordHeader.Read(record);
        if (!RecordHeader.IsSound(header) || ChainJoinRecord.Is(header) || (header & _excluded) != 0
            || _newer.Storage!.IsDiscarded(entry.Newer, header)) return false;
        return (Probe.On && Probe.Has(SeededBug.LookupTrustsChain))
            || KeySlot.Matches(record + RecordHeader.Size, _table.KeyOf(entry), KeySizeOf(entry));
    }

    private int KeySizeOf(in LookupTable.Entry entry) =>
        _log.Layout.KeySlotSize(_table.KeyOf(entry) - RecordHeader.Size);

    private readonly struct Superseders(DeferredLookups lookups) : ISortedVisitor
    {
        private const int StopCheckMask = 1023;

        public (long Address, int Length) RangeOf(int index)
        {
            ref readonly LookupTable.Entry entry = ref lookups._table.Entries[index];
            return (entry.Newer, RecordHeader.Size + lookups.KeySizeOf(entry));
        }

        public void Visit(int index, byte* bytes)
        {
            if ((index & StopCheckMask) == 0) lookups._thread.CheckStop();
            ref readonly LookupTable.Entry entry = ref lookups._table.Entries[index];
            if (bytes == null || !lookups.Supersedes(entry, bytes)) lookups._left.Add(lookups._table.RecordOf(entry));
        }
    }
}
