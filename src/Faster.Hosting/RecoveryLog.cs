using Microsoft.Extensions.Logging;

namespace Faster.Hosting;

/// <summary>Logs the progress of a recovery: each step, and within one at most each second.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class RecoveryLog(ILogger log, string store, TimeProvider time) : IProgress<RecoveryProgress>
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private RecoveryStep? _step;
    private long _logged;

    /// <inheritdoc/>
    public void Report(RecoveryProgress value)
    {
        lock (_lock)
        {
            if (value.Step == RecoveryStep.Done) return;
            if (value.Step == _step && time.GetElapsedTime(_logged) < Interval) return;
            (_step, _logged) = (value.Step, time.GetTimestamp());
        }

        log.Recovering(store, value.Step, value.BytesDone, value.BytesTotal);
    }
}
