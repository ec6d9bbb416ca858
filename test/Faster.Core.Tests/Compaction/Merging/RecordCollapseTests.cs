using Faster.Compaction.Copying;
using Faster.Compaction.Merging;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Operations.Merging;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Compaction.Merging;

/// <summary>What is left of a collapse that fails: nothing.</summary>
public sealed class RecordCollapseTests
{
    [Fact]
    public async Task A_collapse_that_fails_releases_its_seals()
    {
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), Device = new MemoryDevice() };
        await using FasterStore store = await FasterStore.OpenAsync(null, options, CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        long address = store.Log.TailAddress;
        session.Put(1, 7);
        SealAndFail(store, session, address);
        session.AddTo(1, 2); // of a sealed record it would wait until it fails
        Assert.Equal(9, session.Get(1));
        Assert.Equal(address + 24, store.Log.TailAddress);
    }

    private static unsafe void SealAndFail(FasterStore store, FasterSession session, long address)
    {
        byte* record = store.Log.Pointer(address);
        var seals = new HeldDeltas(store.Epochs, store.Log);
        store.Epochs.Enter(session.Slot);
        Assert.True(seals.TrySeal(record, address));
        store.Epochs.Leave(session.Slot);
        Assert.Equal(1, seals.Count);
        var run = new CollapseRun(CounterOperations.Schema, store.Log.Layout, seals, new CopyCounters(), session);
        var collapse = new RecordCollapse(run, address, header: 0, record) { Sealed = address };
        collapse.Complete(Status.NotFound, new StorageException("seeded"));
        Assert.Equal(0, seals.Count);
    }
}
