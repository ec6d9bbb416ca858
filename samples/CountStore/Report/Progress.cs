using System.Diagnostics;
using System.Globalization;
using CountStore.Commands;
using CountStore.Counting;
using CountStore.Input;

namespace CountStore.Report;

/// <summary>Shows how far a pass is: one rewritten line on a terminal, a line every few seconds elsewhere.</summary>
internal sealed class Progress(Terminal terminal, string activity, IInput input, CountingPass pass, ICounter counter)
{
    /// <summary>Empties the terminal's last line.</summary>
    public const string ClearLine = "\r\u001b[2K";

    /// <summary>How often the last line of a terminal is rewritten.</summary>
    public static readonly TimeSpan Rewrite = TimeSpan.FromMilliseconds(200);

    /// <summary>How often a line is written elsewhere.</summary>
    public static readonly TimeSpan Occasion = TimeSpan.FromSeconds(5);

    /// <summary>Shows progress until the work ends, and passes on how it ended.</summary>
    public async Task WatchAsync(Task work, CancellationToken cancellation)
    {
        var clock = Stopwatch.StartNew();
        TimeSpan pause = terminal.IsInteractive ? Rewrite : Occasion;
        while (!work.IsCompleted)
        {
            await Task.WhenAny(work, Task.Delay(pause, cancellation));
            if (work.IsCompleted) break;
            if (terminal.IsInteractive) await terminal.Error.WriteAsync(ClearLine + Fit(Line(clock.Elapsed), Width()));
            else await terminal.Error.WriteLineAsync(Line(clock.Elapsed));
            await terminal.Error.FlushAsync(CancellationToken.None);
        }

        if (terminal.IsInteractive) await terminal.Error.WriteAsync(ClearLine);
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

    private string Line(TimeSpan elapsed)
    {
        double done = input.TotalBytes == 0 ? 100 : 100.0 * input.BytesDone / input.TotalBytes;
        double perSecond = (pass.KeysCounted - pass.KeysPassed) / elapsed.TotalSeconds;
        string rate = perSecond.ToString("N0", CultureInfo.InvariantCulture);
        string onDisk = counter.Use.LogBytesOnDisk > 0
            ? $", {new Faster.ByteSize(counter.Use.LogBytesOnDisk)} on disk"
            : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"{activity}: {done:0} %, {pass.KeysCounted:N0} keys, {rate} a second{onDisk}");
    }
}
