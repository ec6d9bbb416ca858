using Faster.Contracts;
using Faster.Tests.Devices;
using Faster.Tests.Faults;
using static Faster.Tests.Store.CounterOperations;

namespace Faster.Tests.Store;

/// <summary>Sessions that take their own completions from the disk, beside all that others do with them.</summary>
public sealed class OwnReadsTests : IAsyncLifetime, IDisposable
{
    private const int Keys = 60_000, OnDisk = 20_000;

    private readonly TemporaryFolder _folder = new();
    private FasterStore<NoProbe> _store = null!;

    public async Task InitializeAsync()
    {
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(8), ExpectedKeys = 20_000,
            MaxPendingPerSession = 128,
        };
        _store = await FasterStore<NoProbe>.OpenAsync(_folder.Path, options, Schema, default);
        using FasterSession<NoProbe> session = _store.StartSession();
        for (int key = 0; key < Keys; key++) session.Put(key, key * 3L);
    }

    [Fact]
    public Task Sessions_read_side_by_side_more_of_them_than_there_are_queues() => Guard.RunAsync(() =>
    {
        FasterSession<NoProbe>[] sessions = [.. Enumerable.Range(0, 80).Select(_ => _store.StartSession())];
        CounterOperations.Outcome[][] reads = [.. sessions.Select((session, i) => Begin(session, i * 100, 50))];
        foreach (FasterSession<NoProbe> session in sessions) session.CompletePending(wait: true);
        for (int i = 0; i < sessions.Length; i++) AssertRead(reads[i], i * 100);
        foreach (FasterSession<NoProbe> session in sessions) session.Dispose();
    });

    [Fact]
    public Task A_session_moves_between_threads_with_reads_under_way() => Guard.RunAsync(() =>
    {
        using FasterSession<NoProbe> session = _store.StartSession();
        for (int round = 0; round < 20; round++)
        {
            int from = round * 500;
            CounterOperations.Outcome[] reads = [];
            OnThread(() => reads = Begin(session, from, 200));
            OnThread(() => session.CompletePending(wait: round % 2 == 0));
            session.CompletePending(wait: true);
            AssertRead(reads, from);
        }
    });

    [Fact]
    public Task An_owner_may_await_what_he_began_without() => Guard.RunAsync(async () =>
    {
        FasterSession<NoProbe> session = _store.StartSession();
        for (int round = 0; round < 10; round++)
        {
            CounterOperations.Outcome[] reads = Begin(session, round * 500, 100);
            await session.CompletePendingAsync();
            AssertRead(reads, round * 500);
        }

        CounterOperations.Outcome[] last = Begin(session, 9000, 100);
        await session.DisposeAsync();
        AssertRead(last, 9000);
    });

    [Fact]
    public Task A_commit_does_not_wait_for_an_owner_who_does_not_come_back() => Guard.RunAsync(async () =>
    {
        await using FasterSession<NoProbe> session = _store.StartSession();
        for (int round = 0; round < 5; round++)
        {
            CounterOperations.Outcome[] reads = Begin(session, round * 500, 100);
            await _store.CommitAsync();
            session.CompletePending(wait: true);
            AssertRead(reads, round * 500);
        }
    });

    [Fact]
    public Task Reads_awaited_and_not_awaited_mix() => Guard.RunAsync(async () =>
    {
        await using FasterSession<NoProbe> session = _store.StartSession();
        CounterOperations.Outcome[] reads = Begin(session, 0, 100);
        Task<long?>[] awaited = [.. Enumerable.Range(0, 100).Select(i => session.GetAsync(5000 + i).AsTask())];
        session.CompletePending(wait: true);
        AssertRead(reads, 0);
        for (int i = 0; i < awaited.Length; i++) Assert.Equal((5000 + i) * 3L, await awaited[i]);
    });

    [Fact]
    public Task Owners_who_do_not_look_keep_no_buffer_from_others() => Guard.RunAsync(async () =>
    {
        // More reads than there are buffers for, scattered so that none shares another's; nobody takes them.
        FasterSession<NoProbe>[] sessions = [.. Enumerable.Range(0, 16).Select(_ => _store.StartSession())];
        CounterOperations.Outcome[][] reads =
            [.. sessions.Select((session, i) => Begin(session, i * 1200, 100, step: 11))];
        await using FasterSession<NoProbe> other = _store.StartSession();
        for (int i = 0; i < 20; i++) Assert.Equal((9000 + i) * 3L, await other.GetAsync(9000 + i));
        for (int i = 0; i < sessions.Length; i++)
        {
            sessions[i].CompletePending(wait: true);
            AssertRead(reads[i], i * 1200, 11);
            sessions[i].Dispose();
        }
    });

    [RingFact]
    public Task A_pending_read_allocates_nothing() => Guard.RunAsync(() =>
    {
        using FasterSession<NoProbe> session = _store.StartSession();
        var outcome = new CounterOperations.Outcome();
        ReadMany(session, outcome, 5_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        ReadMany(session, outcome, 10_000);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.InRange(allocated, 0, 10_000); // a queue may grow now and then
        Assert.True(_store.Statistics.DiskReads > 10_000, "The records were in memory: the test shows nothing.");
    });

    [Fact]
    public Task The_blocks_of_hot_records_are_read_once_for_all_who_wait() => Guard.RunAsync(() =>
    {
        using FasterSession<NoProbe> session = _store.StartSession();
        long before = _store.Statistics.DiskReads;
        for (int round = 0; round < 10; round++) AssertRead(Begin(session, round * 100, 100, step: 0), round * 100, 0);
        Assert.InRange(_store.Statistics.DiskReads - before, 10, 700);
    });

    public async Task DisposeAsync() => await _store.DisposeAsync();

    public void Dispose() => _folder.Dispose();

    private static void OnThread(Action work)
    {
        var thread = new Thread(() => work());
        thread.Start();
        thread.Join();
    }

    private static void ReadMany(FasterSession<NoProbe> session, CounterOperations.Outcome outcome, int count)
    {
        for (int i = 0; i < count; i++)
        {
            var read = new Read(outcome);
            _ = session.Read(Key(i * 7919L % OnDisk), ref read);
        }

        session.CompletePending(wait: true);
        Assert.Null(outcome.Error);
    }

    private static CounterOperations.Outcome[] Begin(
        FasterSession<NoProbe> session, int from, int count, int step = 1)
    {
        var outcomes = new CounterOperations.Outcome[count];
        for (int i = 0; i < count; i++)
        {
            var read = new Read(outcomes[i] = new CounterOperations.Outcome());
            Assert.Equal(Status.Pending, session.Read(Key(from + (i * step)), ref read));
        }

        if (step == 0) session.CompletePending(wait: true);
        return outcomes;
    }

    private static void AssertRead(CounterOperations.Outcome[] outcomes, int from, int step = 1)
    {
        for (int i = 0; i < outcomes.Length; i++)
        {
            Assert.Null(outcomes[i].Error);
            Assert.Equal(1, outcomes[i].Completions);
            Assert.Equal((from + (i * step)) * 3L, outcomes[i].Value);
        }
    }
}
