using Faster.Epochs;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Compaction.Large;

/// <summary>
/// The values that begin in the compacted range of the log: their last fragments, which have the lowest addresses,
/// until the record that refers to each is met; and the search for records above the range.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A value is listed from the moment at which its last fragment, or a record that refers to it, was met until the
/// other was met, in whatever order the pages are walked.</item>
/// <item>At most eight fragments of a page are the last of a value, because a value in fragments does not fit a page:
/// so the table is small compared with the page's copy.</item>
/// </list>
/// <para><see cref="Note"/> is thread-safe; for the rest one user at a time, outside every epoch.</para>
/// </remarks>
internal sealed unsafe class LargeHeads : IDisposable
{
    private const int FirstLook = 256; // bytes; records with a head are usually smaller

    private readonly Tier _tier;
    private readonly PagedLog _log;
    private readonly LogStorage _storage;
    private readonly PageCopy _copy;
    private readonly long _begin;
    private readonly Lock _lock = new();
    private readonly Dictionary<long, ulong> _open = []; // a value's lowest address → the hash of its key
    private readonly HashSet<long> _met = []; // the lowest addresses of records that were met before their fragments
    private EpochSlot* _slot;

    /// <summary>Creates an empty table, with a slot of its own that must be disposed of.</summary>
    /// <param name="tier">The tier that is compacted.</param>
    /// <param name="begin">The start of the compacted range.</param>
    /// <param name="owner">The slot's owner, for error messages about epochs.</param>
    public LargeHeads(Tier tier, long begin, string owner)
    {
        (_tier, _log, _storage, _begin) = (tier, tier.PagedLog!, tier.Storage!, begin);
        _copy = new PageCopy(tier.Core.Epochs, _log, _storage, owner);
        _slot = tier.Core.Epochs.Acquire(owner);
    }

    /// <summary>Whether no value is listed whose record has not been met.</summary>
    public bool IsEmpty => _open.Count == 0;

    /// <summary>Notes a record: the last fragment of a value, or a record that refers to one.</summary>
    /// <remarks>Thread-safe, and in any order: several threads walk the pages.</remarks>
    public void Note(in RecordWalker walker)
    {
        if (LargeHead.IsIn(walker.Header))
        {
            long lowest = Read(walker.Record).Lowest;
            lock (_lock)
            {
                if (!_open.Remove(lowest) && lowest >= _begin) _met.Add(lowest);
            }
        }
        else if (ValueFragment.Is(walker.Header) && ValueFragment.IsLast(walker.Record, out ulong hash))
        {
            lock (_lock)
            {
                if (!_met.Remove(walker.Address)) _open[walker.Address] = hash;
            }
        }
    }

    /// <summary>Finds the records at or above an address whose value begins below it.</summary>
    /// <param name="from">The start of the search; no further record is linked to the noted fragments.</param>
    /// <param name="checkStop">Throws if the run must stop.</param>
    /// <returns>The records' addresses; some may have been superseded.</returns>
    /// <exception cref="FasterException">The log could not be read.</exception>
    public List<long> FindFrom(long from, Action checkStop)
    {
        List<long> found = [];
        foreach ((long lowest, ulong hash) in _open)
        {
            checkStop();
            if (Search(hash, lowest, from) is var address and not 0) found.Add(address);
        }

        return found;
    }

    /// <summary>Copies a record.</summary>
    /// <param name="address">Its address.</param>
    /// <param name="isImmutable">Whether it is immutable; if not, it may be deleted meanwhile.</param>
    /// <returns>The copy, valid until the next call.</returns>
    public byte* Load(long address, bool isImmutable)
    {
        isImmutable &= !(Probe.On && Probe.Has(SeededBug.StraddlerNotImmutable));
        return LoadWhole(address, isImmutable ? _log.SafeImmutableAddress : long.MaxValue, out _);
    }

    /// <summary>The head in a record whose value lies in fragments: the end of its value slot.</summary>
    public LargeHead Read(byte* record) => LargeHead.AtEndOf(_log.Layout.Value(record));

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_slot == null) return;
        _tier.Core.Epochs.Release(_slot);
        _slot = null;
        _copy.Dispose();
    }

    // Along the chain of the key's hash, in memory and on disk.
    private long Search(ulong hash, long lowest, long from)
    {
        for (long address = ChainStart.Of(_tier, _slot, hash); address >= from;)
        {
            byte* record = LoadWhole(address, long.MaxValue, out ulong header);
            if (IsHead(address, header) && Read(record).Lowest == lowest) return address;
            long next = ChainJoinRecord.Next(record, header, hash);
            address = next < address ? next : throw _storage.NoRecord(address, header);
        }

        return 0;
    }

    private bool IsHead(long address, ulong header) =>
        LargeHead.IsIn(header) && !_storage.IsDiscarded(address, header);

    // Only as much of its page as the record needs: most searches read one block.
    private byte* LoadWhole(long address, long end, out ulong header)
    {
        end = Math.Min(_log.PageEndOf(address), end);
        for (long length = Math.Min(FirstLook, end - address); ;)
        {
            byte* record = _copy.Load(address, address + length);
            header = RecordHeader.Read(record);
            long size = _log.Layout.TrySize(record, length, end - address);
            if (size < 0 || size > end - address) throw _storage.NoRecord(address, header);
            if (size <= length) return record;
            length = size;
        }
    }
}
