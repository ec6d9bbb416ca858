using System.Diagnostics;

namespace Samples;

/// <summary>Shows how far a work is: one rewritten line on a terminal, a line every few seconds elsewhere.</summary>
internal static class StatusLine
{
    /// <summary>Empties the terminal's last line.</summary>
    public const string Clear = "\r\u001b[2K";

    /// <summary>How often the last line of a terminal is rewritten.</summary>
    public static readonly TimeSpan Rewrite = TimeSpan.FromMilliseconds(200);

    /// <summary>How often a line is written elsewhere.</summary>
    public static readonly TimeSpan Occasion = TimeSpan.FromSeconds(5);

    /// <summary>Shows a line until the work ends, and passes on how it ended.</summary>
    /// <param name="terminal">Where the line is shown.</param>
    /// <param name="work">The work.</param>
    /// <param name="line">Makes the line after some time.</param>
    public static async Task WatchAsync(Terminal terminal, Task work, Func<TimeSpan, string> line)
    {
        var clock = Stopwatch.StartNew();
        TimeSpan pause = terminal.IsInteractive ? Rewrite : Occasion;
        while (!work.IsCompleted)
        {
            await Task.WhenAny(work, Task.Delay(pause, CancellationToken.None));
            if (work.IsCompleted) break;
            if (terminal.IsInteractive) await terminal.Error.WriteAsync(Clear + Fit(line(clock.Elapsed), Width()));
            else await terminal.Error.WriteLineAsync(line(clock.Elapsed));
            await terminal.Error.FlushAsync(CancellationToken.None);
        }

        if (terminal.IsInteractive) await terminal.Error.WriteAsync(Clear);
        await work;
    }

    /// <summary>Cuts a line to a terminal's width: one that wraps can't be rewritten.</summary>
    internal static string Fit(string line, int width) => line.Length < width ? line : line[..Math.Max(width - 1, 0)];

    private static int Width()
    {
        try
        {
            return Console.WindowWidth > 0 ? Console.WindowWidth : int.MaxValue;
        }
        catch (IOException)
        {
            return int.MaxValue; // a terminal that does not tell
        }
    }
}
