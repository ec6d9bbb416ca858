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

    [Theory]
    [InlineData(0, false)]
    [InlineData(5, true)]    // later ones were acknowledged
    [InlineData(9, false)]
    public void Counts_are_short_where_a_later_update_is_durable(long failed, bool isShort)
    {
        StoreCounter counter = new(new FakeStore { Failed = failed }, awaited: 9);
        KeyBatch batch = new();
        for (int key = 0; key < 9; key++) batch.Add([(byte)key]);
        using ICountWorker worker = counter.StartShare(0, 1);
        if (failed == 0) worker.Count(batch);
        else Assert.Throws<StorageException>(() => worker.Count(batch));
        Assert.Equal(isShort, counter.HasCommittedFailed);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Lost_updates_are_counted_again_under_their_numbers(bool isEachDurable)
    {
        FakeStore store = new() { Lost = [3, 4, 7] };
        StoreCounter counter = new(store, isEachDurable ? 9 : 0);
        KeyBatch first = new(), second = new();
        for (int key = 1; key <= 5; key++) first.Add([(byte)key]);
        for (int key = 6; key <= 9; key++) second.Add([(byte)key]);
        using ICountWorker worker = counter.StartShare(0, 1);
        worker.Pass(first, first.Count, before: 0);
        worker.Pass(second, second.Count, before: 5);
        worker.Finish();
        Assert.Equal([(3, 3), (4, 4), (7, 7)], store.Counted);
    }

    private sealed class FakeStore : ICountStore, ICommittingStore
    {
        private string? _name;

        public event Action<Commit>? Committed;

        public long Failed { get; init; }

        public IReadOnlyList<long> Lost { get; init; } = [];

        public List<(long Number, byte Key)> Counted { get; } = [];

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
            return new FakeSession(name, this);
        }

        public void Visit(CountVisitor visitor) => throw new NotSupportedException();
    }

    /// <summary>Each update is pending until the session is asked to complete; one fails then.</summary>
    private sealed class FakeSession(string? name, FakeStore store) : ICountSession, ICommittingSession
    {
        private Action? _pending;

        public ICommittingSession Base => this;

        public string? Name => name;

        public long SerialNumber { get; private set; }

        public CommitPoint RecoveredPoint => new(name, 9, 1) { Excluded = store.Lost };

        public int PendingCount => _pending is null ? 0 : 1;

        public Status Count(ReadOnlySpan<byte> key, UpdateContext context)
        {
            StorageException? error = Next(key);
            _pending += () =>
            {
                context.End(error);
                if (error is not null) throw error;
            };
            return Status.Pending;
        }

        public ValueTask<Status> CountAsync(ReadOnlySpan<byte> key) =>
            Next(key) is { } error ? ValueTask.FromException<Status>(error) : new(Status.Ok);

        public void SetNextSerialNumber(long serialNumber) => SerialNumber = serialNumber - 1;

        public ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key) => throw new NotSupportedException();

        public bool CompletePending(bool wait)
        {
            Action? pending = _pending;
            _pending = null;
            pending?.Invoke();
            return true;
        }

        private StorageException? Next(ReadOnlySpan<byte> key)
        {
            store.Counted.Add((++SerialNumber, key[0]));
            return SerialNumber == store.Failed ? new StorageException("the disk is full") : null;
        }
    }
}
