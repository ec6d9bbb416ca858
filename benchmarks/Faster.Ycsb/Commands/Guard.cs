using System.CommandLine;
using Faster.Ycsb.Reports;
using Faster.Ycsb.Running;

namespace Faster.Ycsb.Commands;

/// <summary>Makes failures of a command one message on standard error and an exit code.</summary>
internal static class Guard
{
    /// <summary>The exit code of a failure.</summary>
    public const int Failed = 1;

    /// <summary>Sets what a command does.</summary>
    public static void SetGuarded(this Command command, Func<ParseResult, CancellationToken, Task> action) =>
        command.SetAction(async (parsed, cancellationToken) =>
        {
            try
            {
                await action(parsed, cancellationToken);
                return 0;
            }
            catch (Exception e) when (e is UsageException or InvalidOperationException or InvalidDataException
                or IOException
                or UnauthorizedAccessException)
            {
                Progress.Error(e.Message);
                return Failed;
            }
            catch (OperationCanceledException)
            {
                Progress.Error("Stopped before the end; nothing was written.");
                return Failed;
            }
        });
}
