using System.Buffers;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.Tests.Scheduling;
using Faster.Tests.Store;

namespace Faster.Tests.Compaction;

/// <summary>
/// A compaction under a controlled scheduler of a value in chunks that begins in the part that goes. The steps by which
/// the part is closed and given up are the store's; the search for the record is not, for it reads the device.
/// </summary>
internal static unsafe class ScheduledLargeCompaction
{
    /// <summary>Compacts up to a page's start; the one value that begins below is a key's.</summary>
    public static void CompactLarge<TShape>(this ScheduledStore<TShape> store, int session, long key, long until)
        where TShape : struct, IShape
    {
        var log = (PagedLog<ScheduledProbe>)store.Log;
        ScheduledWaits.Run(store.Giving!.FreezeAsync(until));
        ScheduledWaits.Run(store.Giving.RaiseFloorAsync(until));
        CopyStraddling(store, log, session, key, until);
        ScheduledWaits.Run(store.Giving.RunAsync(until, ScheduledStore<TShape>.AtOnce));
        while (log.Pins.LowestPinned < until) ScheduledProbe.Point(ProbePoint.Wait);
        store.Sink.Forget(until);
    }

    private static void CopyStraddling<TShape>(
        ScheduledStore<TShape> store, PagedLog<ScheduledProbe> log, int session, long key, long until)
        where TShape : struct, IShape
    {
        if (Search(store, log, key, until, out long address, out _) is not { } head) return;
        ScheduledWaits.Run(store.Giving!.FreezePastAsync(address));
        if (Read(store, log, address, out ulong header) != head) Assert.Fail("A head has changed.");
        if ((header & RecordHeader.Tombstone) != 0 || store.Chunks.Gather(head) is not { } value) return;
        var write = new LargeWrite<ScheduledProbe>(new ReadOnlySequence<byte>(value));
        store.Chunks.Write(write, store.HashOf(key));
        byte[] slot = new byte[LargeHead.Size];
        write.Head.WriteTo(slot);
        _ = store.Copy(session, key, address, slot, RecordHeader.Large);
        write.End();
    }

    private static LargeHead? Search<TShape>(
        ScheduledStore<TShape> store, PagedLog<ScheduledProbe> log, long key, long until, out long address,
        out ulong header)
        where TShape : struct, IShape
    {
        EpochSlot* slot = store.Epochs.Acquire("a search");
        store.Epochs.Enter(slot);
        Assert.True(ChainStart.TryFindUnderEpoch(store.Index, store.HashOf(key), out address));
        if (address < 0) address = store.CacheBehind(address);
        store.Epochs.Leave(slot);
        store.Epochs.Release(slot);
        for (header = 0; address >= until; address = RecordHeader.Previous(header))
        {
            ScheduledProbe.Point(ProbePoint.RegionMarker);
            LargeHead? head = Read(store, log, address, out header);
            if (head is { } found && found.Lowest < until) return found;
        }

        return null;
    }

    private static LargeHead? Read<TShape>(
        ScheduledStore<TShape> store, PagedLog<ScheduledProbe> log, long address, out ulong header)
        where TShape : struct, IShape
    {
        EpochSlot* slot = store.Epochs.Acquire("a search");
        store.Epochs.Enter(slot);
        try
        {
            ReadOnlySpan<byte> record = address >= log.HeadAddress
                ? new ReadOnlySpan<byte>(log.Pointer(address), 56)
                : store.Sink.Read(address)[..56];
            header = BitConverter.ToUInt64(record);
            return LargeHead.IsIn(header) ? LargeHead.AtEndOf(record) : null;
        }
        finally
        {
            store.Epochs.Leave(slot);
            store.Epochs.Release(slot);
        }
    }
}
