using System.Collections.Concurrent;
using Faster.Log;
using Faster.Tiers;

namespace Faster.LogSessions.Pending;

/// <summary>
/// Threads for a tier's work that takes processor time: they continue operations that a caller awaits, or that a
/// commit waits for, and encode the pages that are flushed. So neither a slow user function nor a checksum keeps the
/// I/O thread from its device.
/// </summary>
/// <remarks>
/// <para>Thread-safe. Each worker has a session of its own, on which it continues operations, and a queue of its own.
/// The hash of the key picks the queue: operations on one key continue in the order in which they became ready.</para>
/// <para><b>No lost wake-up.</b> A worker says that it is idle, passes a fence, and then looks for work once more; a
/// thread that adds work passes a fence and then looks whether the worker is idle. One of the two sees the other. The
/// thread that takes the mark away wakes the worker, so each idle worker is woken once.</para>
/// </remarks>
internal sealed class BackgroundWorkers : IDisposable
{
    private readonly Tier _tier;
    private readonly PageFlusher _flusher;
    private readonly Worker[] _workers;
    private long _continued;
    private volatile bool _stopping;

    /// <summary>Makes the workers of a tier and starts them.</summary>
    public BackgroundWorkers(Tier tier)
    {
        (_tier, _flusher) = (tier, tier.Flusher!);
        _workers = [.. Enumerable.Range(1, CountForMachine).Select(number => new Worker(this, number))];
        foreach (Worker worker in _workers) worker.Thread.Start();
    }

    /// <summary>The number of workers of a tier: half as many as cores, from two to four.</summary>
    public static int CountForMachine => Math.Clamp(Environment.ProcessorCount / 2, 2, 4);

    /// <summary>How often operations have been continued.</summary>
    public long Continued => Volatile.Read(ref _continued);

    /// <summary>Continues an operation as soon as its worker comes to it.</summary>
    public void Add(PendingOperation operation)
    {
        Worker worker = _workers[(uint)(operation.Hash >> 32) % (uint)_workers.Length];
        worker.Ready.Enqueue(operation);
        worker.Wake();
    }

    /// <summary>Has an idle worker flush, if there is one.</summary>
    /// <returns>False when all are busy.</returns>
    public bool TryFlush()
    {
        foreach (Worker worker in _workers)
        {
            if (worker.Wake()) return true;
        }

        return false;
    }

    /// <summary>Stops the workers, each when the operation that it continues has returned.</summary>
    public void Dispose()
    {
        _stopping = true;
        foreach (Worker worker in _workers) worker.Dispose();
    }

    private sealed class Worker : IDisposable
    {
        private readonly BackgroundWorkers _all;
        private readonly AutoResetEvent _wake = new(false);
        private readonly LogSession _session;
        private int _idle;

        public Worker(BackgroundWorkers all, int number)
        {
            _all = all;
            _session = LogStoreCore.Of(all._tier).StartInternal($"the store's background thread {number}");
            Thread = new Thread(Run) { IsBackground = true, Name = $"Faster background {number}" };
        }

        public Thread Thread { get; }

        public ConcurrentQueue<PendingOperation> Ready { get; } = new();

        private bool HasWork => !Ready.IsEmpty || _all._flusher.HasWork;

        public bool Wake()
        {
            if (Interlocked.Exchange(ref _idle, 0) == 0) return false;
            _wake.Set();
            return true;
        }

        public void Dispose()
        {
            // A callback of the user's that closes the store runs on such a thread. The event stays set until a wait
            // takes it, and a thread that has taken it sees that it is to stop.
            _wake.Set();
            if (Thread != Thread.CurrentThread) Thread.Join();
            _session.Close();
            _wake.Dispose();
        }

        private void Run()
        {
            StoreCore core = _all._tier.Core;
            while (!_all._stopping)
            {
                bool worked = core.Guarded(this, static worker => worker._all._flusher.TryStep());
                worked |= core.Guarded(this, static worker => worker.ContinueOne());
                if (worked) continue;
                Volatile.Write(ref _idle, 1);
                Interlocked.MemoryBarrier();
                if (!_all._stopping && !HasWork) _wake.WaitOne();
                Volatile.Write(ref _idle, 0);
            }
        }

        private bool ContinueOne()
        {
            if (!Ready.TryDequeue(out PendingOperation? operation)) return false;
            Interlocked.Increment(ref _all._continued);
            return operation.ResumeOn(_session);
        }
    }
}
