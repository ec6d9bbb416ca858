namespace Faster.MemoryProbe;

/// <summary>
/// A store whose process has no free thread in its pool: whatever a caller may block on must end, from the first
/// operation to the closing of the store, and what has expired must leave its logs.
/// </summary>
internal static class BlockedPool
{
    private const int Keys = 100_000, Expiring = 200_000, MaxPending = 64;
    private const long MinCommits = 2, MinCompactions = 3;

    private static readonly ByteSize _memory = ByteSize.MiB(4), _disk = ByteSize.MiB(12);
    private static readonly TimeSpan _every = TimeSpan.FromMilliseconds(50), _life = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// Uses a store on one thread, while all threads of the pool are blocked, until it has compacted its log.
    /// </summary>
    public static int Run(string engine, string folder)
    {
        if (engine == "tiered")
        {
            TieredSums.Store store = TieredSums.OpenAsync(
                folder, new TieredOptions { MemoryBudget = _memory, DiskBudget = _disk, CommitEvery = _every })
                .AsTask().GetAwaiter().GetResult();
            Block();
            TieredSums.Session session = store.StartSession("main");
            Use(
                store, session, life => session.TimeToLive = life, key => session.Upsert(key, 1),
                key => session.Rmw(key, 1), () => session.CompletePending(wait: true),
                () => store.Statistics.HotLogBytes + store.Statistics.ColdLogBytes, () => session.LastCommit.Version,
                () => Math.Min(store.Statistics.HotCompactions, store.Statistics.ColdCompactions),
                session.CommitAsync, ct => store.CommitAsync(CommitKind.Snapshot, withIndex: true, ct));
        }
        else
        {
            Sums.Store store = Sums.OpenAsync(
                folder, new StoreOptions { MemoryBudget = _memory, DiskBudget = _disk, CommitEvery = _every })
                .AsTask().GetAwaiter().GetResult();
            Block();
            Sums.Session session = store.StartSession("main");
            Use(
                store, session, life => session.TimeToLive = life, key => session.Upsert(key, 1),
                key => session.Rmw(key, 1), () => session.CompletePending(wait: true),
                () => store.Statistics.TailAddress - store.Statistics.BeginAddress, () => session.LastCommit.Version,
                () => store.Statistics.Compactions,
                session.CommitAsync, ct => store.CommitAsync(CommitKind.Snapshot, withIndex: true, ct));
        }

        return 0;
    }

    private static void Use(
        IDisposable store, IDisposable session, Action<TimeSpan> setLife, Func<long, Status> upsert,
        Func<long, Status> update, Func<bool> complete, Func<long> bytes, Func<long> commits, Func<long> compactions,
        Func<CancellationToken, Task> commit, Func<CancellationToken, Task> snapshot)
    {
        using var wait = new CancellationTokenSource(); // never canceled
        setLife(_life);
        Expire(upsert, complete, bytes);
        setLife(TimeSpan.Zero);
        Update(update, complete, commits, compactions);
        commit(wait.Token).GetAwaiter().GetResult();
        snapshot(wait.Token).GetAwaiter().GetResult();
        session.Dispose();
        store.Dispose();
    }

    // The logs are larger than the memory, until all has expired.
    private static void Expire(Func<long, Status> upsert, Func<bool> complete, Func<long> bytes)
    {
        for (long key = 0; key < Expiring; key++)
            if (upsert(-1 - key) == Status.Pending) complete();
        while (bytes() > _memory.Bytes) Thread.Yield();
    }

    private static void Update(
        Func<long, Status> update, Func<bool> complete, Func<long> commits, Func<long> compactions)
    {
        long begun = Environment.TickCount64, updates = 0;
        for (int pending = 0; compactions() < MinCompactions || commits() < MinCommits;)
        {
            for (int i = 0; i < Keys / 10; i++)
            {
                if (update(updates++ % Keys) != Status.Pending || ++pending < MaxPending) continue;
                complete();
                pending = 0;
            }
        }

        complete();
        Console.WriteLine(
            $"updates={updates} commits={commits()} compactions={compactions()} "
            + $"milliseconds={Environment.TickCount64 - begun}");
    }

    // Until the process ends.
    private static void Block()
    {
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, 1);
        if (!ThreadPool.SetMaxThreads(threads, 1)) throw new InvalidOperationException("The pool can't be limited.");
        var never = new ManualResetEventSlim();
        var blocked = new CountdownEvent(threads);
        for (int i = 0; i < threads; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    blocked.Signal();
                    never.Wait();
                },
                null);
        }

        blocked.Wait();
    }
}
