using System.Globalization;

namespace Faster.Ycsb.Reports;

/// <summary>How figures are written in tables and plots.</summary>
internal static class Figures
{
    private const double Million = 1e6;

    /// <summary>The unit in which throughput is written, as a factor.</summary>
    public const double PerMillion = 1 / Million;

    /// <summary>The unit in which lengths of logs are written, as a factor: MiB.</summary>
    public const double PerMebibyte = 1.0 / (1 << 20);

    /// <summary>A number with so many digits after the point.</summary>
    public static string Text(double value, int digits) =>
        value.ToString("F" + digits.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);

    /// <summary>A number of bytes in the largest unit that keeps it whole or nearly so.</summary>
    public static string Bytes(double bytes) => bytes switch
    {
        >= 1 << 30 => $"{Trim(bytes / (1 << 30))} GiB",
        >= 1 << 20 => $"{Trim(bytes / (1 << 20))} MiB",
        >= 1 << 10 => $"{Trim(bytes / (1 << 10))} KiB",
        _ => $"{Trim(bytes)} B",
    };

    /// <summary>A time in seconds or milliseconds.</summary>
    public static string Time(double seconds) =>
        seconds >= 1 ? $"{Text(seconds, 2)} s" : $"{Text(seconds * 1000, seconds < 0.01 ? 1 : 0)} ms";

    /// <summary>A throughput in millions or thousands a second.</summary>
    public static string Rate(double perSecond) =>
        perSecond >= Million ? $"{Text(perSecond / Million, 2)} M/s" : $"{Text(perSecond / 1000, 1)} k/s";

    /// <summary>A short time, in nanoseconds to milliseconds; a dash where there is none.</summary>
    public static string Latency(double? seconds) => seconds switch
    {
        null => "–",
        < 1e-6 => $"{Text(seconds.Value * 1e9, 0)} ns",
        < 1e-3 => $"{Text(seconds.Value * 1e6, 1)} µs",
        _ => $"{Text(seconds.Value * 1e3, 1)} ms",
    };

    /// <summary>A number of threads.</summary>
    public static string Threads(int count) => count == 1 ? "1 thread" : $"{count} threads";

    private static string Trim(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
