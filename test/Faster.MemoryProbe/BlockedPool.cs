namespace Faster.MemoryProbe;

/// <summary>
/// A store whose process has no free thread in its pool: whatever a caller may block on must end, from the first
/// operation to the closing of the store.
/// </summary>
internal static class BlockedPool
{
    private const int Keys = 40_000, Rounds = 6;

    private static readonly ByteSize _memory = ByteSize.MiB(4), _disk = ByteSize.MiB(24);
    private static readonly TimeSpan _every = TimeSpan.FromMilliseconds(20);

    /// <summary>Uses a store on one thread, while all threads of the pool are blocked.</summary>
    public static int Run(string engine, string folder)
    {
        int commits = engine == "tiered" ? UseTiered(folder) : Use(folder);
        Console.WriteLine($"commits={commits}");
        return 0;
    }

    private static int Use(string folder)
    {
        int commits = 0;
        Sums.Store store = Sums.OpenAsync(
            folder, new StoreOptions { MemoryBudget = _memory, DiskBudget = _disk, CommitEvery = _every })
            .AsTask().GetAwaiter().GetResult();
        store.Committed += _ => Interlocked.Increment(ref commits);
        Block();
        Sums.Session session = store.StartSession("main");
        Update(key => session.Rmw(key, 1), () => session.CompletePending(wait: true), ref commits);
        session.CommitAsync().GetAwaiter().GetResult();
        store.CommitAsync(CommitKind.Snapshot, withIndex: true).GetAwaiter().GetResult();
        _ = session.Rmw(1, 1);
        session.Dispose();
        store.Dispose();
        return commits;
    }

    private static int UseTiered(string folder)
    {
        int commits = 0;
        TieredSums.Store store = TieredSums.OpenAsync(
            folder, new TieredOptions { MemoryBudget = _memory, DiskBudget = _disk, CommitEvery = _every })
            .AsTask().GetAwaiter().GetResult();
        store.Committed += _ => Interlocked.Increment(ref commits);
        Block();
        TieredSums.Session session = store.StartSession("main");
        Update(key => session.Rmw(key, 1), () => session.CompletePending(wait: true), ref commits);
        session.CommitAsync().GetAwaiter().GetResult();
        store.CommitAsync(CommitKind.Snapshot, withIndex: true).GetAwaiter().GetResult();
        _ = session.Rmw(1, 1);
        session.Dispose();
        store.Dispose();
        return commits;
    }

    private static void Update(Func<long, Status> update, Action complete, ref int commits)
    {
        for (int i = 0; i < Keys * Rounds; i++)
            if (update(i % Keys) == Status.Pending) complete();
        while (Volatile.Read(ref commits) < 2) Thread.Yield();
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
