using System.Diagnostics;
using System.Globalization;
using Faster;

namespace CountStore.Report;

/// <summary>Shows how far a recovery is, as <see cref="Progress"/> does for a pass. Thread-safe.</summary>
internal sealed class RecoveryLine(Terminal terminal) : IProgress<RecoveryProgress>
{
    private readonly Lock _lock = new();
    private readonly Stopwatch _sinceLast = Stopwatch.StartNew();
    private bool _isShown;

    /// <inheritdoc/>
    public void Report(RecoveryProgress value)
    {
        lock (_lock)
        {
            if (value.Step == RecoveryStep.Done)
            {
                if (_isShown && terminal.IsInteractive) terminal.Error.Write(StatusLine.Clear);
                return;
            }

            if (_sinceLast.Elapsed < (terminal.IsInteractive ? StatusLine.Rewrite : StatusLine.Occasion)) return;
            _sinceLast.Restart();
            _isShown = true;
            if (terminal.IsInteractive) terminal.Error.Write(StatusLine.Clear + Line(value));
            else terminal.Error.WriteLine(Line(value));
            terminal.Error.Flush();
        }
    }

    private static string Line(RecoveryProgress progress)
    {
        double done = progress.BytesTotal == 0 ? 0 : 100.0 * progress.BytesDone / progress.BytesTotal;
        string step = progress.Step switch
        {
            RecoveryStep.FindingCommit => "looking for the last commit",
            RecoveryStep.ReadingIndex => "reading the index",
            RecoveryStep.ReadingLog => "reading the log",
            _ => "replaying the log",
        };
        return string.Create(CultureInfo.InvariantCulture, $"Recovering: {step}, {done:0} %");
    }
}
