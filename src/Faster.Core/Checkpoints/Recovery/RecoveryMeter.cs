namespace Faster.Checkpoints.Recovery;

/// <summary>Adds up what the threads of a recovery have read, and reports it.</summary>
/// <remarks>
/// <para>Invariants: reports do not overlap; their step and their bytes never fall.</para>
/// <para>Thread-safe: a short lock, held while the listener runs.</para>
/// </remarks>
/// <param name="listener">Receives the progress; or null.</param>
/// <param name="indexTotal">The bytes of the index's checkpoint.</param>
/// <param name="logTotal">The bytes of log and snapshots.</param>
internal sealed class RecoveryMeter(IProgress<RecoveryProgress>? listener, long indexTotal, long logTotal)
{
    private readonly Lock _lock = new();
    private long _index, _log;

    /// <summary>Reports how much of the index has been read.</summary>
    public void ReadIndex(long bytes)
    {
        lock (_lock)
        {
            _index = bytes;
            Report(RecoveryStep.ReadingLog);
        }
    }

    /// <summary>Reports how much of log and snapshots has been read, and what is done with it.</summary>
    public void ReadLog(RecoveryStep step, long bytes)
    {
        lock (_lock)
        {
            _log = bytes;
            Report(step);
        }
    }

    // As long as the index is read, that is the step, whatever else is read.
    private void Report(RecoveryStep step) => listener?.Report(new RecoveryProgress(
        _index < indexTotal ? RecoveryStep.ReadingIndex : step, _index + _log, indexTotal + logTotal));
}
