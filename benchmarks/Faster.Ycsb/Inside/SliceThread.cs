using Faster.Workload;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Inside;

/// <summary>A thread that works on the engine whose turn it is, each with the same keys in the same order.</summary>
internal sealed class SliceThread
{
    private readonly (IEngine Engine, KeyStream Stream)[] _engines;
    private readonly YcsbWorkload _workload;
    private readonly Turn _turn;
    private readonly long[] _done;
    private readonly GuardedThread _thread;

    /// <summary>Makes the thread, not started yet.</summary>
    public SliceThread(IEnumerable<IEngine> engines, YcsbWorkload workload, int[] drawn, Turn turn)
    {
        _engines = [.. engines.Select(engine => (engine, new KeyStream(drawn)))];
        (_workload, _turn) = (workload, turn);
        _done = new long[_engines.Length];
        _thread = new GuardedThread(Work);
    }

    /// <summary>Starts to work.</summary>
    public void Start() => _thread.Start();

    /// <summary>Waits until it has stopped, and rethrows what it failed with.</summary>
    public void Join() => _thread.Join();

    /// <summary>How many operations it has done on an engine.</summary>
    public long DoneFor(int engine) => Volatile.Read(ref _done[engine]);

    private void Work()
    {
        IWorker[] workers = [.. _engines.Select(e => e.Engine.StartWorker())];
        try
        {
            long missing = 0;
            while (_turn.TryGet(out int engine))
            {
                ReadOnlySpan<long> keys = _engines[engine].Stream.Take();
                if (_workload.Reads != 0)
                    missing += AnswerCheck.SumOfReads(keys);
                missing -= _workload.Work(workers[engine], keys, AnswerCheck.Updated);
                Volatile.Write(ref _done[engine], _done[engine] + keys.Length);
            }

            foreach (IWorker worker in workers)
                missing -= worker.Finish();
            if (missing != 0)
                throw new WrongAnswerException("Values that were read belong to other keys than those asked for.");
        }
        finally
        {
            foreach (IWorker worker in workers)
                worker.Dispose();
        }
    }
}
