using Faster.Contracts;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>A failed read surfaces on its own operation, in either form, and the next try works.</summary>
public sealed class ReadFaultTests
{
    private const int Operations = 8;

    [Theory]
    [InlineData(FaultFlavor.InputOutputError)]
    [InlineData(FaultFlavor.ShortTransfer)]
    public Task Status_form_CompletePending_throws_and_the_other_operations_go_on(FaultFlavor flavor) =>
        Guard.RunAsync(() =>
        {
            using var store = new FaultedStore();
            store.Fill();
            store.Device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, 3, flavor)] });
            var outcomes = new CounterOperations.Outcome[Operations];
            for (int i = 0; i < Operations; i++)
            {
                var operation = new Read(outcomes[i] = new CounterOperations.Outcome());
                Assert.Equal(Status.Pending, store.Session.Read(Key(i * 100), ref operation));
            }

            var thrown = Assert.ThrowsAny<FasterException>(() => store.Session.CompletePending(wait: true));
            Assert.Equal(0, store.Session.PendingCount);
            Assert.All(outcomes, outcome => Assert.Equal(1, outcome.Completions));
            CounterOperations.Outcome failed = Assert.Single(outcomes, outcome => outcome.Error is not null);
            Assert.Same(thrown, failed.Error);
            for (int i = 0; i < Operations; i++)
            {
                if (outcomes[i] != failed) Assert.Equal(i * 300, outcomes[i].Value);
                Assert.Equal(i * 300, store.Session.Get(i * 100));
            }
        });

    [Fact]
    public Task Several_failures_are_all_reported() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        store.Break(FaultTarget.Read);
        for (int i = 0; i < 3; i++)
        {
            var operation = new Read(new CounterOperations.Outcome());
            Assert.Equal(Status.Pending, store.Session.Read(Key(i), ref operation));
        }

        var thrown = Assert.Throws<AggregateException>(() => store.Session.CompletePending(wait: true));
        Assert.Equal(3, thrown.InnerExceptions.Count);
        Assert.All(thrown.InnerExceptions, e => Assert.IsType<StorageException>(e));
        store.Mend();
        Assert.Equal(3, store.Session.Get(1));
    });

    [Fact]
    public Task Awaited_form_its_await_throws_and_the_others_have_their_values() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        store.Device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, 3)] });
        Task<long?>[] reads =
            [.. Enumerable.Range(0, Operations).Select(i => store.Session.GetAsync(i * 100).AsTask())];
        int failed = 0;
        for (int i = 0; i < Operations; i++)
        {
            try
            {
                Assert.Equal(i * 300, await reads[i]);
            }
            catch (StorageException)
            {
                failed++;
            }

            Assert.Equal(i * 300, await store.Session.GetAsync(i * 100));
        }

        Assert.Equal(1, failed);
        Assert.True(store.Session.CompletePending(wait: true)); // nothing is left to report here
    });

    [Fact]
    public Task A_failed_update_has_not_happened_and_can_be_made_again() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Fill();
        store.Break(FaultTarget.Read);
        var operation = new Add(1, new CounterOperations.Outcome());
        Assert.Equal(Status.Pending, store.Session.Rmw(Key(10), ref operation));
        Assert.Throws<StorageException>(() => store.Session.CompletePending(wait: true));
        await Assert.ThrowsAsync<StorageException>(() => store.Session.AddAsync(20, 1).AsTask());
        store.Mend();
        Assert.Equal(30, store.Session.Get(10));
        Assert.Equal(60, store.Session.Get(20));
        store.Session.AddTo(10, 1);
        Assert.Equal(Status.Ok, await store.Session.AddAsync(20, 1));
        Assert.Equal(31, store.Session.Get(10));
        Assert.Equal(61, store.Session.Get(20));
    });

    [Fact]
    public Task A_flipped_bit_is_never_read_as_a_value() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        var random = new Random(7);
        int damaged = 0;
        long onDisk = store.Store.Statistics.BytesWritten;
        for (int round = 0; round < TestBudget.Times(20); round++)
        {
            BitFlip[] flips =
                [.. Enumerable.Range(0, 50).Select(_ => new BitFlip(random.NextInt64(onDisk), random.Next(8)))];
            store.Device.Arm(new FaultPlan { BitFlips = flips });
            for (int i = 0; i < 200; i++)
            {
                int key = random.Next(FaultedStore.Keys);
                try
                {
                    Assert.Equal(key * 3L, store.Session.Get(key));
                }
                catch (DamagedDataException)
                {
                    damaged++;
                }
            }
        }

        Assert.True(damaged > 10, $"Only {damaged} reads met a flipped bit: the test shows nothing.");
        store.Mend();
        for (int key = 0; key < FaultedStore.Keys; key += 41) Assert.Equal(key * 3L, store.Session.Get(key));
    });
}
