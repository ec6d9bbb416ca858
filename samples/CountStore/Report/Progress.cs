using System.Globalization;
using CountStore.Counting;
using CountStore.Input;

namespace CountStore.Report;

/// <summary>Shows how far a pass is.</summary>
internal sealed class Progress(Terminal terminal, string activity, IInput input, CountingPass pass, ICounter counter)
{
    /// <summary>Shows progress until the work ends, and passes on how it ended.</summary>
    public Task WatchAsync(Task work) => StatusLine.WatchAsync(terminal, work, Line);

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
