using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;

namespace Faster.Checkpoints.Recovery;

/// <summary>
/// Makes the records of a recovered log agree with the commit, and replays them into the index (paper 004 §5.5).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing but the headers of records in memory, and the addresses of chain-join records there, is
/// changed.</item>
/// <item>What is settled twice is as if it had been settled once.</item>
/// </list>
/// <para>Thread-safe, except that one page in memory is settled by one thread.</para>
/// </remarks>
/// <param name="log">The log, with the pages from its head on in memory.</param>
/// <param name="index">The index, not resized meanwhile.</param>
/// <param name="storage">The log's storage, restored to what the commit records.</param>
/// <param name="seed">The seed of the hash function.</param>
/// <param name="commit">What the commit records of the log.</param>
/// <param name="head">The lowest address in memory.</param>
/// <param name="flushedUntil">Below it the device has the log.</param>
/// <param name="replayFrom">From this address on, records are replayed.</param>
/// <param name="laterCode">The code of the version after the commit's.</param>
/// <param name="replay">What the log's records mean to the index.</param>
internal sealed unsafe class RecordSettler(
    PagedLog log, HashIndex index, LogStorage storage, HashSeed seed, CommittedLog commit, long head,
    long flushedUntil, long replayFrom, byte laterCode, IndexReplay replay)
{
    private const ulong Passing = RecordHeader.Latch | RecordHeader.Sealed; // means something only while operations run
    private const ulong Special = Passing | RecordHeader.ChainJoin | RecordHeader.Invalid;

    private long _discardedRecords;
    private int _discardedOnDevice;

    /// <summary>The number of records of the later version that were met.</summary>
    public long DiscardedRecords => Volatile.Read(ref _discardedRecords);

    /// <summary>Whether some of them lie on the device.</summary>
    public bool HasDiscardedOnDevice => Volatile.Read(ref _discardedOnDevice) != 0;

    /// <summary>Replays a page that does not stay in memory.</summary>
    /// <exception cref="DamagedDataException">The page is damaged.</exception>
    public void Replay(IndexReplayer replayer, PageLoad page)
    {
        byte* bytes = page.Decode();

        // Pages below the head are whole, but the first may begin at the replay's start, where the tail once was.
        var walker = new RecordWalker(storage, log.Layout, bytes, RecordBoundary.OfTail(page.From), page.To);
        replayer.Enter();
        try
        {
            while (walker.MoveNext())
            {
                if (IsLeftOut(walker.Address, walker.Header)) CountIfLater(walker.Address, walker.Header);
                else Raise(replayer, walker);
            }
        }
        finally
        {
            replayer.Leave();
        }
    }

    /// <summary>
    /// Settles a page in memory, if that takes nothing but it and the pages below it, which are loaded: most pages are
    /// settled before the index is.
    /// </summary>
    /// <returns>Whether it is settled; if not, <see cref="Settle"/> must be called.</returns>
    /// <exception cref="DamagedDataException">There is no record where one should be.</exception>
    // Recovery runs once: tiered compilation would optimize this method too late.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TrySettle(long page)
    {
        (long from, long to) = RangeOf(page);
        long limit = Math.Min(replayFrom, commit.StartAddress);
        var walker = new RecordWalker(storage, log.Layout, log.Pointer(from), log.WalkStartOf(from), to);
        bool hasDiscarded = storage.Discarded.Count != 0;
        while (walker.MoveNext())
        {
            if (walker.Address >= limit) return false;
            ulong header = walker.Header;
            bool isAlone = RecordHeader.Previous(header) < head && (header & Special) == 0 && !hasDiscarded;
            if (isAlone || ValueFragment.Is(header)) continue;
            if (storage.IsDiscarded(walker.Address, header)) return false; // an entry may lead to it
            ulong settled = Relinked(walker, header & ~Passing, log.Layout.Hash(walker.Record, seed));
            if (header != settled) RecordHeader.Write(walker.Record, settled);
        }

        return true;
    }

    /// <summary>Settles a page in memory, even where the index needs no replay.</summary>
    /// <exception cref="DamagedDataException">There is no record where one should be.</exception>
    public void Settle(IndexReplayer replayer, long page)
    {
        (long from, long to) = RangeOf(page);
        var walker = new RecordWalker(storage, log.Layout, log.Pointer(from), log.WalkStartOf(from), to);
        replayer.Enter();
        try
        {
            while (walker.MoveNext())
            {
                ulong header = Settled(replayer, walker);
                if (header != walker.Header) RecordHeader.Write(walker.Record, header);
            }
        }
        finally
        {
            replayer.Leave();
        }
    }

    private (long From, long To) RangeOf(long page) => (
        Math.Max(page << log.PageBits, commit.BeginAddress),
        Math.Min((page + 1) << log.PageBits, commit.EndAddress));

    // Returns the header that a record must have, after updating its entry.
    private ulong Settled(IndexReplayer replayer, in RecordWalker walker)
    {
        if (ValueFragment.Is(walker.Header)) return walker.Header;
        ulong header = walker.Header & ~Passing;
        long address = walker.Address;
        ulong hash = log.Layout.Hash(walker.Record, seed);
        if (IsLeftOut(address, header))
        {
            long previous = NewestThatCounts(RecordHeader.Previous(header), address, hash);
            CountIfLater(address, header);
            replayer.RedirectUnderEpoch(hash, address, previous < commit.BeginAddress ? 0 : previous);
            return RecordHeader.Invalidated(header);
        }

        header = Relinked(walker, header, hash);
        if (address >= replayFrom) Raise(replayer, walker);
        return header;
    }

    // Returns the header with a previous address that counts.
    private ulong Relinked(in RecordWalker walker, ulong header, ulong hash)
    {
        if (ChainJoinRecord.Is(header))
        {
            ChainJoinRecord.SetRight(
                walker.Record, NewestThatCounts(ChainJoinRecord.Right(walker.Record), walker.Address, hash));
        }

        return RecordHeader.WithPrevious(
            header, NewestThatCounts(RecordHeader.Previous(header), walker.Address, hash));
    }

    // A chain-join record counts only in an index smaller than the one whose chains it joins: only commits of earlier
    // versions record fewer buckets than the larger index had (BucketHistory). A tombstone that ends its chain carries
    // no information, unless there is a tier below whose records it hides. Its entry may have been removed; then no
    // entry led to it when its bucket was joined with another one, whose chain may be older. Above another tier no
    // entry is removed that leads to a record (DeleteAlgorithm).
    private void Raise(IndexReplayer replayer, in RecordWalker walker)
    {
        ulong header = walker.Header;
        if (ChainJoinRecord.Is(header) && ChainJoinRecord.BucketCount(walker.Record) <= index.BucketCount) return;
        bool endsChain = RecordHeader.Previous(header) < commit.BeginAddress;
        if ((header & RecordHeader.Tombstone) != 0 && endsChain && replay != IndexReplay.OfUpperTier) return;
        replayer.ReplayUnderEpoch(log.Layout.Hash(walker.Record, seed), walker.Address);
    }

    // Other threads may be marking the records that are passed here, which does not change what is read of them. A
    // record that an earlier recovery marked may be found in a chain, or by an entry: an increment brings the mark but
    // not the records that were relinked then, and a checkpoint of the index may be older than that recovery.
    private long NewestThatCounts(long address, long below, ulong hash)
    {
        while (address >= head)
        {
            if (address >= below) throw storage.NoRecord(below, 0);
            byte* record = log.Pointer(address);
            ulong header = RecordHeader.Read(record);
            if (!IsLeftOut(address, header)) break;
            below = address;
            address = ChainJoinRecord.Next(record, header, hash);
        }

        return address;
    }

    private bool IsLater(long address, ulong header) =>
        !ChainJoinRecord.Is(header) && address >= commit.StartAddress
            && RecordHeader.VersionCode(header) == laterCode;

    private bool IsLeftOut(long address, ulong header) =>
        IsLater(address, header) || storage.IsDiscarded(address, header);

    private void CountIfLater(long address, ulong header)
    {
        if (!IsLater(address, header) || (header & RecordHeader.Invalid) != 0) return;
        Interlocked.Increment(ref _discardedRecords);
        if (address < flushedUntil) Volatile.Write(ref _discardedOnDevice, 1);
    }
}
