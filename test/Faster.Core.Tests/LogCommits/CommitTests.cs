using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.LogCommits;

/// <summary>Commits and recovery of a real store in a real folder.</summary>
public sealed class CommitTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<CommitKind> Kinds => [.. Enum.GetValues<CommitKind>()];

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Kinds))]
    public async Task Committed_values_are_there_again_and_nothing_else(CommitKind kind)
    {
        await using (FasterStore store = await Open())
        {
            using FasterSession session = store.StartSession("one");
            for (long key = 0; key < 1000; key++) session.AddTo(key, key);
            Commit commit = await store.CommitAsync(kind);
            Assert.Equal(1000, Assert.Single(commit.Points).SerialNumber);
            for (long key = 500; key < 1500; key++) session.AddTo(key, 7);
        }

        await using FasterStore again = await Open();
        using FasterSession continued = again.ContinueSession("one", out CommitPoint point);
        Assert.Equal(1000, point.SerialNumber);
        for (long key = 0; key < 1000; key++) Assert.Equal(key, continued.Get(key));
        for (long key = 1000; key < 1500; key++) Assert.Null(continued.Get(key));
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task Many_commits_in_a_row_with_updates_between(CommitKind kind)
    {
        var model = new Dictionary<long, long>();
        var random = new Random(5);
        for (int round = 0; round < 4; round++)
        {
            await using FasterStore store = await Open();
            using FasterSession session = store.StartSession("one");
            foreach ((long key, long value) in model) Assert.Equal(value, session.Get(key));
            for (int commit = 0; commit < 6; commit++)
            {
                for (int i = 0; i < 300; i++)
                {
                    long key = random.Next(1000);
                    if (i % 10 == 0)
                    {
                        _ = session.Remove(key);
                        model.Remove(key);
                        continue;
                    }

                    session.AddTo(key, 3);
                    model[key] = model.GetValueOrDefault(key) + 3;
                }

                CommitPoint point = await session.CommitAsync();
                Assert.Equal(session.SerialNumber, point.SerialNumber);
                if (commit % 3 == 2) await store.CommitAsync(kind, withIndex: true);
            }

            for (long key = 0; key < 1000; key++) session.AddTo(key, 1_000_000); // never committed
        }

        Task<FasterStore> Open() => CommitTests.Open(_folder.Path, new StoreOptions { CommitKind = kind });
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task Sessions_go_on_while_commits_run_and_every_prefix_is_exact(CommitKind kind)
    {
        const int Threads = 3, Keys = 64;
        var sessions = new CommitPoint[Threads];
        var options = new StoreOptions { CommitKind = kind, MemoryBudget = ByteSize.MiB(1) };
        await using (FasterStore store = await Open(_folder.Path, options))
        {
            using var stop = new CancellationTokenSource();
            Task[] threads = [.. Enumerable.Range(0, Threads).Select(number => Task.Run(() =>
            {
                using FasterSession session = store.StartSession($"thread {number}");
                for (long serial = 1; !stop.IsCancellationRequested; serial++)
                    session.AddTo((number * Keys) + (serial % Keys), 1);
            }))];
            Assert.True(
                SpinWait.SpinUntil(() => store.Statistics.Sessions == Threads, TestBudget.StallTimeout), "No session.");
            Commit last = await store.CommitAsync();
            for (int i = 0; i < 12; i++) last = await store.CommitAsync();
            await stop.CancelAsync();
            await Task.WhenAll(threads);
            for (int i = 0; i < Threads; i++)
                sessions[i] = last.Points.Single(point => point.SessionName == $"thread {i}");
        }

        await using FasterStore again = await Open(_folder.Path, options);
        for (int number = 0; number < Threads; number++)
        {
            using FasterSession session = again.ContinueSession($"thread {number}", out CommitPoint point);
            Assert.Equal(sessions[number].SerialNumber, point.SerialNumber);
            for (long slot = 0; slot < Keys; slot++)
            {
                long expected = CountOf(slot, point.SerialNumber, Keys);
                Assert.Equal(expected, session.Get((number * Keys) + slot) ?? 0);
            }
        }
    }

    [Fact]
    public async Task A_commit_with_nothing_to_do_ends_at_once()
    {
        await using FasterStore store = await Open();
        using FasterSession session = store.StartSession("one");
        session.AddTo(1, 1);
        Commit first = await store.CommitAsync();
        Commit second = await store.CommitAsync();
        Assert.False(first.WasEmpty);
        Assert.True(second.WasEmpty);
        Assert.Equal(first.Version, second.Version);
        session.Dispose();
        await store.DisposeAsync();

        await using FasterStore again = await Open();
        Commit third = await again.CommitAsync();
        Assert.True(third.WasEmpty);
        Assert.Equal(first.Version, third.Version);
    }

    [Fact]
    public async Task The_index_grows_between_and_during_commits()
    {
        const int Keys = 40_000;
        await using (FasterStore store = await Open())
        {
            using FasterSession session = store.StartSession("one");
            for (long key = 0; key < Keys; key++)
            {
                session.AddTo(key, key);
                if (key % 5000 == 4999) _ = await store.CommitAsync(withIndex: key % 10_000 == 9999);
            }

            _ = await store.CommitAsync();
            Assert.True(store.Statistics.IndexGrowths > 0);
        }

        await using FasterStore again = await Open();
        using FasterSession continued = again.StartSession("one");
        for (long key = 0; key < Keys; key++) Assert.Equal(key, continued.Get(key));
    }

    private static long CountOf(long slot, long point, int keys) =>
        (point / keys) + (slot != 0 && slot <= point % keys ? 1 : 0);

    private Task<FasterStore> Open() => Open(_folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(4) });

    private static async Task<FasterStore> Open(string folder, StoreOptions options) =>
        await FasterStore.OpenAsync(
            folder, options with { CommitOnDispose = false }, CounterOperations.Schema, CancellationToken.None);
}
