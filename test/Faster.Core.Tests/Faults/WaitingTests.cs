using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Tests.Devices;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>What waits for something that does not come ends after a limit, and its error says for what.</summary>
public sealed class WaitingTests
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(100);

    [Fact]
    public Task A_disk_that_stalls_is_named() => Guard.RunAsync(() =>
    {
        var held = new HeldWrites(new MemoryDevice());
        using var store = new FaultedStore(inner: held);
        store.Store.Core.StallLimit = Short;
        held.Hold();
        StorageException stalled = PutUntilFull(store.Session);
        Assert.True(stalled.MayRetry);
        Assert.Contains("the log's memory is full", stalled.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("user function", stalled.Message, StringComparison.OrdinalIgnoreCase);
        held.Release();
        store.Store.Core.StallLimit = TestBudget.StallTimeout;
        store.Session.Put(-1, 1);
        Assert.Equal(1, store.Session.Get(-1));
    });

    [Fact]
    public Task A_pending_operation_that_needs_space_ends_too() => Guard.RunAsync(() =>
    {
        var held = new HeldWrites(new MemoryDevice());
        using var store = new FaultedStore(inner: held);
        store.Fill();
        using FasterSession other = store.Store.StartSession("other");
        var outcome = new CounterOperations.Outcome();
        var add = new Add(1, outcome);
        store.Store.Core.StallLimit = Short;
        held.Hold();
        PutUntilFull(other);
        Assert.Equal(Status.Pending, store.Session.Rmw(Key(5), ref add));
        var stalled = Assert.Throws<StorageException>(() => store.Session.CompletePending(wait: true));
        Assert.Same(stalled, outcome.Error);
        Assert.Equal(0, store.Session.PendingCount);
        held.Release();
        store.Store.Core.StallLimit = TestBudget.StallTimeout;
        Assert.Equal(15, store.Session.Get(5));
        store.Session.AddTo(5, 1);
        Assert.Equal(16, store.Session.Get(5));
    });

    [Fact]
    public Task A_function_that_blocks_inside_a_latch_is_named() => Guard.RunAsync(async () =>
    {
        using var store = new FaultedStore();
        store.Store.Core.StallLimit = Short;
        using FasterSession blocking = store.Store.StartSession("blocking");
        store.Session.Put(1, 1);
        using var inside = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        Task blocked = Guard.RunAsync(() =>
        {
            var add = new Add(1, null, () =>
            {
                inside.Set();
                leave.Wait();
            });
            Assert.Equal(Status.Ok, blocking.Rmw(Key(1), ref add));
        });
        inside.Wait();
        Errors.Throws(ErrorReason.UserFunction, () => store.Session.AddTo(1, 1));
        leave.Set();
        await blocked;
        store.Session.AddTo(1, 1);
        Assert.Equal(3, store.Session.Get(1));
    });

    /// <summary>A device that throws where it may not fails the read, which would be waited for otherwise.</summary>
    [Fact]
    public Task A_device_that_refuses_a_read_by_throwing_fails_it() => Guard.RunAsync(() =>
    {
        var device = new ThrowingReads(new MemoryDevice());
        using var store = new FaultedStore(inner: device);
        store.Fill();
        var outcome = new CounterOperations.Outcome();
        var read = new Read(outcome);
        device.Throws = true;
        Assert.Equal(Status.Pending, store.Session.Read(Key(5), ref read));
        var refused = Assert.Throws<StorageException>(() => store.Session.CompletePending(wait: true));
        Assert.IsType<InvalidOperationException>(refused.InnerException);
        Assert.Same(refused, outcome.Error);
        Assert.Equal(0, store.Session.PendingCount);
        Assert.Equal(15, store.Session.Get(5));
    });

    private static StorageException PutUntilFull(FasterSession session) =>
        Assert.Throws<StorageException>(() =>
        {
            for (int key = 1_000_000; key < 2_000_000; key++) session.Put(key, 1);
        });

    private sealed class ThrowingReads(Device inner) : PassingDevice(inner)
    {
        public volatile bool Throws;

        public override void Submit(ReadOnlySpan<IORequest> requests)
        {
            if (Throws && requests[0].Kind == IOKind.Read)
            {
                Throws = false;
                throw new InvalidOperationException("Thrown against the contract.");
            }

            base.Submit(requests);
        }
    }
}
