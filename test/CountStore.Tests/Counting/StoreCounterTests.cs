using CountStore.Counting;
using CountStore.Counting.Stores;
using CountStore.Input;
using Faster;

namespace CountStore.Tests.Counting;

/// <summary>Counts are short exactly where a commit covers an update that failed.</summary>
public sealed class StoreCounterTests
{
    [Theory]
    [InlineData(0, 9, false)]   // none has failed
    [InlineData(5, 4, false)]   // the last commit is from before
    [InlineData(5, 5, true)]
    [InlineData(5, 9, true)]
    public void Counts_are_short_where_a_commit_covers_an_update_that_failed(long failed, long committed, bool isShort)
    {
        FakeStore store = new() { Failed = failed };
        StoreCounter counter = new(store);
        KeyBatch batch = new();
        for (int key = 0; key < 9; key++) batch.Add([(byte)key]);
        Run(counter.StartShare(0, 1));
        Run(counter.StartWorker()); // unnamed: in no commit point
        store.Commit(committed);
        Assert.Equal(isShort, counter.HasCommittedFailed);

        void Run(ICountWorker started)
        {
            using ICountWorker worker = started;
            if (failed == 0) Count(worker);
            else Assert.Equal("the disk is full", Assert.Throws<StorageException>(() => Count(worker)).Message);
        }

        void Count(ICountWorker worker)
        {
            worker.Count(batch);
            worker.Finish();
        }
    }

    private sealed class FakeStore : ICountStore
    {
        private string? _name;

        public event Action<Commit>? Committed;

        public long Failed { get; init; }

        public RecoveryReport? Recovery => null;

        public StoreUse Use => default;

        public void Commit(long serialNumber) => Committed?.Invoke(new Commit
        {
            Version = 1,
            Kind = CommitKind.FoldOver,
            HasNewIndex = false,
            Points = [new CommitPoint(_name, serialNumber, 1)],
            BytesWritten = 0,
            Elapsed = TimeSpan.Zero,
        });

        public ICountWorker StartWorker(StoreCounter counter, string? session)
        {
            _name ??= session;
            return new StoreWorker<FakeSession>(counter, new FakeSession(session, new FakeSerials(), Failed));
        }

        public Task CommitAsync(CancellationToken cancellation) => throw new NotSupportedException();

        public void Visit(CountVisitor visitor) => throw new NotSupportedException();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class FakeSerials
    {
        public long Last { get; set; }

        public Action? Pending { get; set; }
    }

    /// <summary>Each update is pending until the session is asked to complete; one fails then.</summary>
    private readonly struct FakeSession(string? name, FakeSerials serials, long failed) : ICountSession
    {
        public string? Name => name;

        public long SerialNumber => serials.Last;

        public CommitPoint RecoveredPoint => new(name, 0, 0);

        public int PendingCount => serials.Pending is null ? 0 : 1;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context)
        {
            StorageException? error = ++serials.Last == failed ? new StorageException("the disk is full") : null;
            serials.Pending += () =>
            {
                context.End(error);
                if (error is not null) throw error;
            };
            return Status.Pending;
        }

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) => throw new NotSupportedException();

        public void CompletePending(bool wait)
        {
            Action? pending = serials.Pending;
            serials.Pending = null;
            pending?.Invoke();
        }

        public void Dispose()
        {
        }
    }
}
