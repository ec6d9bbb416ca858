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

    private sealed class FakeStore : ICountStore, ICommittingStore
    {
        private string? _name;

        public event Action<Commit>? Committed;

        public long Failed { get; init; }

        public ICommittingStore Base => this;

        public void Commit(long serialNumber) => Committed?.Invoke(new Commit
        {
            Version = 1,
            Kind = CommitKind.FoldOver,
            HasNewIndex = false,
            Points = [new CommitPoint(_name, serialNumber, 1)],
            BytesWritten = 0,
            Elapsed = TimeSpan.Zero,
        });

        public ICountSession StartSession(string? name)
        {
            _name ??= name;
            return new FakeSession(name, Failed);
        }

        public void Visit(CountVisitor visitor) => throw new NotSupportedException();
    }

    /// <summary>Each update is pending until the session is asked to complete; one fails then.</summary>
    private sealed class FakeSession(string? name, long failed) : ICountSession, ICommittingSession
    {
        private Action? _pending;

        public ICommittingSession Base => this;

        public string? Name => name;

        public long SerialNumber { get; private set; }

        public int PendingCount => _pending is null ? 0 : 1;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context)
        {
            StorageException? error = ++SerialNumber == failed ? new StorageException("the disk is full") : null;
            _pending += () =>
            {
                context.End(error);
                if (error is not null) throw error;
            };
            return Status.Pending;
        }

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) => throw new NotSupportedException();

        public bool CompletePending(bool wait)
        {
            Action? pending = _pending;
            _pending = null;
            pending?.Invoke();
            return true;
        }
    }
}
