using Faster.Contracts;
using Faster.Devices;
using Faster.Tests.Faults;
using Faster.Tests.Store;

namespace Faster.Tests.Compaction;

/// <summary>
/// The n-th read or write of a compaction fails: it throws what is typed, gives nothing up, and succeeds when it is
/// tried again.
/// </summary>
public sealed class CompactionFaultTests
{
    private const long Keys = 30_000;

    [Theory]
    [InlineData(FaultTarget.Read)]
    [InlineData(FaultTarget.Write)]
    public async Task A_fault_loses_nothing_and_the_next_attempt_succeeds(FaultTarget target)
    {
        int failures = 0, n = 1;
        for (bool clean = false; !clean; n += Math.Max(n / 2, 1))
        {
            var device = new FaultDevice(new MemoryDevice());
            await using FasterStore<NoProbe> store =
                await GarbageStore.OpenAsync(null, GarbageStore.Small with { Device = device });
            using FasterSession<NoProbe> session = store.StartSession();
            session.Fill(0, Keys);
            for (long key = 0; key < Keys; key += 3) _ = session.Remove(key);
            device.Arm(new FaultPlan
            {
                Faults = [new Fault(target, n, FaultFlavour.InputOutputError, Persistent: target == FaultTarget.Write)],
            });
            long begin = store.Statistics.BeginAddress;
            try
            {
                _ = await store.CompactAsync(store.Statistics.TailAddress);
                clean = device.Counters.Faults == 0;
            }
            catch (Exception e) when (e is StorageException or DamagedDataException)
            {
                failures++;
                Assert.Equal(begin, store.Statistics.BeginAddress);
            }

            device.Arm(FaultPlan.None);
            CompactionResult result = await store.CompactAsync(store.Statistics.TailAddress);
            Assert.True(result.BytesReclaimed > 0 || clean);
            for (long key = 0; key < Keys; key += 17)
                Assert.Equal(key % 3 == 0 ? null : key * 3, session.Get(key));
        }

        Assert.True(failures > 3, $"Only {failures} runs failed: the test shows nothing.");
    }

    [Fact]
    public async Task A_read_whose_chain_is_given_up_meanwhile_begins_again()
    {
        // The read waits for the disk while its record is copied to the tail and the old one is given up.
        var held = new HeldReads(new MemoryDevice());
        await using FasterStore<NoProbe> store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { Device = held, ReadCacheFraction = 0 });
        using FasterSession<NoProbe> session = store.StartSession();
        session.Fill(0, Keys);
        var outcome = new CounterOperations.Outcome();
        var read = new CounterOperations.Read(outcome);
        var added = new CounterOperations.Outcome();
        var add = new CounterOperations.Add(1, added);
        held.Hold();
        Assert.Equal(Status.Pending, session.Read(CounterOperations.Key(5), ref read));
        Assert.Equal(Status.Pending, session.Rmw(CounterOperations.Key(7), ref add));
        held.HoldNoMore();
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        held.Release(); // below the begin by now: the device refuses
        session.CompletePending(wait: true);
        Assert.Null(outcome.Error);
        Assert.Equal((Status.Ok, 15), (outcome.Status, outcome.Value));
        Assert.Null(added.Error);
        Assert.Equal(22, session.Get(7));
    }

    [Fact]
    public async Task A_read_whose_record_is_truncated_meanwhile_ends_not_found()
    {
        var held = new HeldReads(new MemoryDevice());
        await using FasterStore<NoProbe> store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { Device = held, ReadCacheFraction = 0 });
        using FasterSession<NoProbe> session = store.StartSession();
        session.Fill(0, Keys);
        var outcome = new CounterOperations.Outcome();
        var read = new CounterOperations.Read(outcome);
        held.Hold();
        Assert.Equal(Status.Pending, session.Read(CounterOperations.Key(5), ref read));
        await store.TruncateAsync(store.Statistics.HeadAddress);
        held.HoldNoMore();
        held.Release();
        session.CompletePending(wait: true);
        Assert.Null(outcome.Error);
        Assert.Equal(Status.NotFound, outcome.Status);
    }
}
