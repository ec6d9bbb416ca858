namespace Faster.Workload.Cells;

/// <summary>
/// What one thread of a cell does with its keys: the workload's operations, and a sum of what the values told.
/// </summary>
internal sealed class CellThread
{
    private readonly YcsbWorkload _workload;
    private readonly long _mark;
    private long _missing;

    /// <summary>Makes the thread, not started yet.</summary>
    public CellThread(IEngine engine, YcsbWorkload workload, KeyStream stream, long mark)
    {
        _workload = workload;
        _mark = mark;
        Thread = new WorkThread(engine, Work, stream) { Finish = Finish };
    }

    /// <summary>The thread itself.</summary>
    public WorkThread Thread { get; }

    private void Work(IWorker worker, ReadOnlySpan<long> keys)
    {
        if (_workload.Reads != 0)
            _missing += AnswerCheck.SumOfReads(keys);
        _missing -= _workload.Work(worker, keys, _mark);
    }

    private void Finish(IWorker worker)
    {
        _missing -= worker.Finish();
        if (_missing != 0)
            throw new WrongAnswerException("Values that were read belong to other keys than those asked for.");
    }
}
