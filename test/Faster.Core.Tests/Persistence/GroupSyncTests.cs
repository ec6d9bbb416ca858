using Faster.Contracts;
using Faster.Devices;
using Faster.Operations.Waiting;
using Faster.Persistence;

namespace Faster.Tests.Persistence;

/// <summary>Tickets under real threads: what is acknowledged is durable, and every wait ends.</summary>
public sealed class GroupSyncTests : IDisposable
{
    private readonly GatedSync _medium = new();
    private readonly GroupSync _group;

    public GroupSyncTests() => _group = new GroupSync("medium", _medium.Sync);

    [Fact]
    public async Task A_ticket_is_durable_when_its_sync_is_done()
    {
        long ticket = _group.TakeTicket();
        _medium.AwaitBegun(1);
        ValueTask<long> wait = _group.WaitAsync(ticket);
        Assert.False(wait.IsCompleted);
        Assert.False(_group.IsDurable(ticket));
        _medium.Release(1);
        Assert.Equal(1, await wait);
        Assert.True(_group.IsDurable(ticket));
        Assert.Equal(1, await _group.WaitAsync(ticket));
    }

    [Fact]
    public async Task Tickets_that_come_during_a_sync_share_the_next_one()
    {
        long first = _group.TakeTicket();
        _medium.AwaitBegun(1);
        long[] later = [.. Enumerable.Range(0, 10).Select(_ => _group.TakeTicket())];
        Task<long>[] waits = [.. later.Select(ticket => _group.WaitAsync(ticket).AsTask())];
        _medium.Release(1);
        await _group.WaitAsync(first);
        _medium.AwaitBegun(2);
        Assert.All(waits, wait => Assert.False(wait.IsCompleted));
        _medium.Release(1);
        await Task.WhenAll(waits);
        Assert.Equal(2, _medium.Begun);
    }

    [Fact]
    public async Task Cancellation_ends_the_waiting_and_not_the_sync()
    {
        using var source = new CancellationTokenSource();
        long ticket = _group.TakeTicket();
        ValueTask<long> canceled = _group.WaitAsync(ticket, source.Token), other = _group.WaitAsync(ticket);
        await source.CancelAsync();
        var thrown = await Assert.ThrowsAsync<OperationCanceledException>(async () => await canceled);
        Assert.Equal(source.Token, thrown.CancellationToken);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _group.WaitAsync(ticket, source.Token));
        _medium.Release(1);
        Assert.Equal(1, await other);
        Assert.True(_group.IsDurable(ticket));
    }

    [Fact]
    public async Task A_failed_sync_fails_all_that_wait_and_all_that_come()
    {
        _medium.Release(1);
        long durable = _group.TakeTicket();
        await _group.WaitAsync(durable);
        long ticket = _group.TakeTicket();
        _medium.AwaitBegun(2);
        long next = _group.TakeTicket();
        ValueTask<long> own = _group.WaitAsync(ticket), ofNext = _group.WaitAsync(next);
        _medium.Failure = new StorageException("The disk is gone. Check it.") { MayRetry = true };
        _medium.Release(1);
        foreach (ValueTask<long> wait in new[] { own, ofNext })
        {
            var thrown = await Assert.ThrowsAsync<StorageException>(async () => await wait);
            Assert.Contains("The disk is gone.", thrown.Message, StringComparison.Ordinal);
            Assert.False(thrown.MayRetry);
        }

        _medium.Failure = null;
        await Assert.ThrowsAsync<StorageException>(async () => await _group.WaitAsync(next));
        Assert.Throws<StorageException>(() => _group.IsDurable(ticket));
        Assert.Throws<StorageException>(() => _group.TakeTicket());
        Assert.True(_group.IsDurable(durable));
        Assert.Equal(2, _medium.Begun);
    }

    [Fact]
    public async Task An_error_of_another_type_is_a_storage_error()
    {
        _medium.Failure = new InvalidOperationException("Not a storage error.");
        _medium.Release(1);
        var thrown = await Assert.ThrowsAsync<StorageException>(
            async () => await _group.WaitAsync(_group.TakeTicket()));
        Assert.Contains("Sync of 'medium' failed", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disposal_ends_waits_and_acknowledges_the_sync_under_way()
    {
        long running = _group.TakeTicket();
        _medium.AwaitBegun(1);
        long next = _group.TakeTicket();
        ValueTask<long> ofRunning = _group.WaitAsync(running), ofNext = _group.WaitAsync(next);
        Task disposal = Task.Run(_group.Dispose);
        Assert.True(SpinWait.SpinUntil(IsClosed, TestBudget.StallTimeout));
        _medium.Release(1);
        await disposal;
        Assert.Equal(1, await ofRunning);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await ofNext);
        Assert.Throws<ObjectDisposedException>(() => _group.IsDurable(next));
        Assert.True(_group.IsDurable(running));
        Assert.Equal(1, _medium.Begun);
    }

    [Fact]
    public async Task Continuations_run_on_another_thread_than_the_sync()
    {
        ValueTask<long> wait = _group.WaitAsync(_group.TakeTicket());
        Task<int> continued = ContinueAsync();
        _medium.Release(2);
        Assert.NotEqual(_medium.ThreadId, await continued);

        // A continuation that blocks for another ticket does not block the syncs.
        async Task<int> ContinueAsync()
        {
            await wait.ConfigureAwait(false);
            int thread = Environment.CurrentManagedThreadId;
            ValueTask<long> next = _group.WaitAsync(_group.TakeTicket());
            Assert.True(next.AsTask().Wait(TestBudget.StallTimeout));
            return thread;
        }
    }

    [Fact]
    public void A_ticket_of_no_group_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => { _ = _group.WaitAsync(1).AsTask(); });
        Assert.Throws<ArgumentOutOfRangeException>(() => _group.Wait(1));
    }

    [Fact]
    public async Task Blocked_threads_return_with_their_sync_and_learn_of_its_failure()
    {
        long ticket = _group.TakeTicket();
        _medium.AwaitBegun(1);
        long next = _group.TakeTicket();
        Task first = Task.Run(() => _group.Wait(ticket)), second = Task.Run(() => _group.Wait(next));
        _medium.Release(1);
        await first;
        _medium.AwaitBegun(2);
        Assert.False(second.IsCompleted);
        _medium.Failure = new StorageException("The disk is gone. Check it.");
        _medium.Release(1);
        await Assert.ThrowsAsync<StorageException>(() => second);
        Assert.Throws<StorageException>(() => _group.Wait(next));
    }

    [Fact]
    public async Task A_blocked_thread_that_was_interrupted_waits_for_its_next_ticket_all_the_same()
    {
        long ticket = _group.TakeTicket();
        _medium.AwaitBegun(1);
        bool isInterrupted = false, isEarly = true;
        var thread = new Thread(() =>
        {
            try
            {
                _group.Wait(ticket);
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }

            long next = _group.TakeTicket(); // the sync of the first one still runs, and wakes the thread
            _group.Wait(next);
            isEarly = _group.DurableUpTo < next;
        });
        thread.Start();
        thread.Interrupt();
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref isInterrupted), TestBudget.StallTimeout));
        _medium.Release(1);
        _medium.AwaitBegun(2);
        _medium.Release(1);
        await Task.Run(thread.Join);
        Assert.False(isEarly);
    }

    [Fact]
    public void Waiters_are_called_once_in_the_order_of_their_tickets()
    {
        const int Waiters = 1000;
        var called = new System.Collections.Concurrent.ConcurrentQueue<int>();
        long ticket = _group.TakeTicket();
        for (int i = 0; i < Waiters; i++)
        {
            int number = i;
            _group.Notify(ticket, new Waiter(error => called.Enqueue(error is null ? number : -1)));
        }

        Assert.Empty(called);
        _medium.Release(1);
        Assert.True(SpinWait.SpinUntil(() => called.Count == Waiters, TestBudget.StallTimeout));
        Assert.Equal(Enumerable.Range(0, Waiters), called);
        int thread = Environment.CurrentManagedThreadId, calledOn = 0;
        _group.Notify(ticket, new Waiter(_ => Volatile.Write(ref calledOn, Environment.CurrentManagedThreadId)));
        Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref calledOn) != 0, TestBudget.StallTimeout));
        Assert.NotEqual(thread, calledOn); // durable already, and yet not within the call
    }

    [Fact]
    public async Task Writes_of_many_threads_are_durable_when_they_are_acknowledged()
    {
        const int Threads = 6;
        int rounds = TestBudget.Times(3000);
        int[] written = new int[Threads], durable = new int[Threads];
        long syncs = 0;
        using var group = new GroupSync("counters", () =>
        {
            syncs++;
            for (int i = 0; i < Threads; i++) Volatile.Write(ref durable[i], Volatile.Read(ref written[i]));
        });
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() => WriteAsync(thread))));
        Assert.InRange(syncs, 1, (long)Threads * rounds);

        async Task WriteAsync(int thread)
        {
            for (int i = 1; i <= rounds; i++)
            {
                Volatile.Write(ref written[thread], i);
                long ticket = group.TakeTicket();
                using var source = new CancellationTokenSource();
                if (i % 7 == thread) source.Cancel();
                try
                {
                    await group.WaitAsync(ticket, source.Token);
                }
                catch (OperationCanceledException)
                {
                    Assert.True(SpinWait.SpinUntil(() => group.IsDurable(ticket), TestBudget.StallTimeout));
                }

                Assert.True(Volatile.Read(ref durable[thread]) >= i, "A ticket was acknowledged before its sync.");
            }
        }
    }

    [Fact]
    public async Task A_device_syncs_for_its_writers_until_a_sync_fails()
    {
        using var device = new FaultDevice(
            new MemoryDevice(), new FaultPlan { Faults = [new Fault(FaultTarget.Sync, 2)] });
        using var group = new GroupSync(device.Name, device.Sync);
        await group.WaitAsync(group.TakeTicket());
        await Assert.ThrowsAsync<StorageException>(async () => await group.WaitAsync(group.TakeTicket()));
        Assert.Throws<StorageException>(() => group.TakeTicket());
        Assert.Equal(2, device.Counters.Syncs);
        Assert.Equal(0, device.Counters.SyncsAfterFailure);
    }

    public void Dispose()
    {
        _medium.Release(100);
        _group.Dispose();
        _medium.Dispose();
    }

    private bool IsClosed()
    {
        try
        {
            _group.TakeTicket();
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    private sealed class Waiter(Action<Exception?> called) : IDurableWaiter
    {
        public void OnDurable(Exception? error) => called(error);
    }

    /// <summary>A sync that ends when the test lets it.</summary>
    private sealed class GatedSync : IDisposable
    {
        private readonly SemaphoreSlim _releases = new(0);
        private int _begun;

        public int Begun => Volatile.Read(ref _begun);

        public int ThreadId { get; private set; }

        public Exception? Failure { get; set; }

        public void Sync()
        {
            ThreadId = Environment.CurrentManagedThreadId;
            Interlocked.Increment(ref _begun);
            _releases.Wait();
            if (Failure is { } failure) throw failure;
        }

        public void Release(int count) => _releases.Release(count);

        public void AwaitBegun(int count) =>
            Assert.True(SpinWait.SpinUntil(() => Begun >= count, TestBudget.StallTimeout));

        public void Dispose() => _releases.Dispose();
    }
}
