using Faster.Commits;
using Faster.Contracts;
using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.LogCommits;

/// <summary>Units that fail beside commits: after each recovery a unit is there as a whole or not at all.</summary>
public sealed class UnitFaultTests
{
    private const int Units = 15, UnitsOfACommit = 3, Keys = 120;

    /// <summary>
    /// The n-th allocation of a client fails, for every n, while another thread commits all the time.
    /// </summary>
    [Fact]
    public async Task A_unit_is_whole_or_absent_whichever_allocation_fails()
    {
        int n = 0, refused = 0;
        for (bool isClean = false; !isClean; n++)
        {
            using var folder = new TemporaryFolder();
            var life = new Life(n + 1);
            await Guard.RunAsync(() => life.LiveAsync(folder.Path));
            await Guard.RunAsync(() => CheckAsync(folder.Path));
            isClean = !life.HasThrown;
            if (life.IsFailed) refused++;
        }

        Assert.True(n > Units && refused > n / 2, $"Of {n} runs {refused} had a failed unit.");
    }

    /// <summary>A unit fails in the version after the one that is being committed.</summary>
    [Theory]
    [InlineData((int)CommitPhase.InProgress, CommitKind.FoldOver)]
    [InlineData((int)CommitPhase.InProgress, CommitKind.Snapshot)]
    [InlineData((int)CommitPhase.WaitFlush, CommitKind.FoldOver)]
    [InlineData((int)CommitPhase.WaitFlush, CommitKind.Snapshot)]
    public async Task A_commit_that_was_under_way_before_the_unit_succeeds_without_it(int phase, CommitKind kind)
    {
        Probe.Current = new PhaseProbe();
        using var folder = new TemporaryFolder();
        await Guard.RunAsync(async () =>
        {
            FasterStore store = await OpenAsync(folder.Path);
            FasterSession session = store.StartSession("units");
            for (int unit = 1; unit <= UnitsOfACommit; unit++) Write(session, unit);
            using var held = new HeldPhase(store, (CommitPhase)phase);
            Task<Commit> commit = store.CommitAsync(kind);
            held.Meanwhile(() =>
            {
                using CommitUnit unit = session.BeginUnit(NumberOf(UnitsOfACommit + 1));
                session.AddTo(0, 1000);
                session.Put(1, 1000);
            });
            Assert.Equal(NumberOf(UnitsOfACommit), (await commit).Points.Single().SerialNumber);
            AssertFailed(await Record.ExceptionAsync(() => store.CommitAsync()));
            await Assert.ThrowsAsync<StorageException>(async () => await store.DisposeAsync());
        });
        Assert.Equal(UnitsOfACommit, await CheckAsync(folder.Path));
    }

    private static long NumberOf(int unit) => 10 * unit;

    // Each kind of operation, new keys and old ones, alone and in a batch.
    private static void Write(FasterSession session, int number)
    {
        using CommitUnit unit = session.BeginUnit(NumberOf(number));
        session.Put(number, number);
        session.AddTo(0, number);
        _ = session.Remove(number - 2);
        var batch = new Adds(number);
        session.RmwBatch<UnmanagedKey<long>, Add, Adds>(ref batch, null);
        session.AddTo(0, 1);
        unit.Complete();
    }

    private static long?[] ModelOf(int units)
    {
        var model = new long?[Keys];
        for (int unit = 1; unit <= units; unit++)
        {
            model[unit] = unit;
            model[0] = (model[0] ?? 0) + unit;
            if (unit >= 2) model[unit - 2] = null;
            for (int i = 0; i < Adds.Width; i++)
            {
                ref long? value = ref model[Adds.KeyOf(unit, i)];
                value = (value ?? 0) + 1;
            }

            model[0] = (model[0] ?? 0) + 1;
        }

        return model;
    }

    /// <summary>Compares a recovered store with the units up to its point.</summary>
    /// <returns>Their number.</returns>
    private static async Task<int> CheckAsync(string path)
    {
        await using FasterStore store = await OpenAsync(path);
        using FasterSession session = store.StartSession("units");
        Assert.Equal(0, session.RecoveredPoint.SerialNumber % NumberOf(1));
        int units = (int)(session.RecoveredPoint.SerialNumber / NumberOf(1));
        Assert.Equal(ModelOf(units), [.. Enumerable.Range(0, Keys).Select(key => session.Get(key))]);
        return units;
    }

    private static void AssertFailed(Exception? error) =>
        Assert.Equal(ErrorReason.UnitFailed, Assert.IsType<FasterException>(error).Reason);

    private static async Task<FasterStore> OpenAsync(string path) => await FasterStore.OpenAsync(
        path, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, Schema, CancellationToken.None);

    /// <summary>A store, a client, and a thread that commits.</summary>
    private sealed class Life(int failingAllocation)
    {
        private volatile int _commits;
        private volatile bool _isOver;

        /// <summary>Whether the allocation came.</summary>
        public bool HasThrown { get; private set; }

        /// <summary>Whether it came in a unit that had written something.</summary>
        public bool IsFailed { get; private set; }

        public async Task LiveAsync(string path)
        {
            FasterStore store = await OpenAsync(path);
            Task commits = Task.Factory.StartNew(() => Commit(store), TaskCreationOptions.LongRunning);
            await Task.Factory.StartNew(() => Work(store), TaskCreationOptions.LongRunning);
            _isOver = true;
            await commits;
            if (IsFailed) await Assert.ThrowsAsync<StorageException>(async () => await store.DisposeAsync());
            else await store.DisposeAsync();
        }

        private void Commit(FasterStore store)
        {
            for (int i = 0; !_isOver; i++)
            {
                Exception? error = Record.Exception(
                    () => store.CommitAsync((CommitKind)(i % 3)).GetAwaiter().GetResult());
                _commits++;
                if (error is null) continue;
                AssertFailed(error);
                return;
            }
        }

        private void Work(FasterStore store)
        {
            FasterSession session = store.StartSession("units");
            var failing = new FailingAllocation(failingAllocation);
            for (int unit = 1; unit <= Units; unit++)
            {
                Probe.Current = failing;
                Exception? error = Record.Exception(() => Write(session, unit));
                Probe.Current = null;
                if (error is not null)
                {
                    Assert.IsType<LimitExceededException>(error);
                    HasThrown = true;
                    IsFailed = session.FailedUnit is not null;
                    if (IsFailed) AssertFailed(Record.Exception(() => session.Get(0)));
                    if (IsFailed) return;
                    unit--; // it left no trace
                }

                if (unit % UnitsOfACommit != 0) continue;
                for (int before = _commits; _commits == before;) Thread.Yield();
            }
        }
    }

    /// <summary>Refuses the n-th allocation of its thread in the log.</summary>
    private sealed class FailingAllocation(int n) : IProbe
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;
        private int _count;

        public void Point(ProbePoint point)
        {
            if (point != ProbePoint.TailAdd || Environment.CurrentManagedThreadId != _thread || ++_count != n) return;
            throw new LimitExceededException("Refused by the test.");
        }
    }

    private readonly struct Adds(int unit) : IBatch<UnmanagedKey<long>, Add>
    {
        public const int Width = 8;

        public int Count => Width;

        public static int KeyOf(int unit, int index) => 100 + ((unit + (2 * index)) % 20);

        public UnmanagedKey<long> GetKey(int index) => Key(KeyOf(unit, index));

        public Add GetOperation(int index) => new(1, null);

        public void SetResult(int index, Status status, ref Add operation) { }
    }
}
