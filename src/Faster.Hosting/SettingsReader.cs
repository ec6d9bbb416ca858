using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Faster.Hosting;

/// <summary>
/// Reads the settings of a store from its section. Unlike a binder it goes on after an error, and refuses names that
/// are no settings: a misspelled one must not be ignored.
/// </summary>
/// <remarks>Thread-safe: no state.</remarks>
/// <param name="name">The store's name.</param>
/// <param name="configuration">The application's configuration; null for none.</param>
internal sealed class SettingsReader(string name, IConfiguration? configuration)
    : IConfigureNamedOptions<FasterSettings>
{
    private static readonly Dictionary<string, Func<FasterSettings, string, string?>> _settings = new(
        StringComparer.OrdinalIgnoreCase)
    {
        [nameof(FasterSettings.Path)] = static (s, text) => Set(s.Path = text),
        [nameof(FasterSettings.MemoryBudget)] = static (s, text) => Size(text, v => s.MemoryBudget = v),
        [nameof(FasterSettings.CloseTimeout)] = static (s, text) => Time(text, v => s.CloseTimeout = v),
        [nameof(FasterSettings.DiskBudget)] = static (s, text) => Size(text, v => s.DiskBudget = v),
        [nameof(FasterSettings.ReadCacheFraction)] = static (s, text) =>
            double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double v)
                ? Set(s.ReadCacheFraction = v)
                : "not a number",
        [nameof(FasterSettings.TimeToLive)] = static (s, text) => Time(text, v => s.TimeToLive = v),
        [nameof(FasterSettings.Durability)] = static (s, text) =>
            Enum.TryParse(text, ignoreCase: true, out Durability v) && Enum.IsDefined(v)
                ? Set(s.Durability = v)
                : $"not one of {string.Join(", ", Enum.GetNames<Durability>())}",
        [nameof(FasterSettings.CommitEvery)] = static (s, text) => Time(text, v => s.CommitEvery = v),
        [nameof(FasterSettings.CommitEveryBytes)] = static (s, text) => Size(text, v => s.CommitEveryBytes = v),
        [nameof(FasterSettings.WaitForFolder)] = static (s, text) => Time(text, v => s.WaitForFolder = v),
        [nameof(FasterSettings.CommitDelayLimit)] = static (s, text) => Time(text, v => s.CommitDelayLimit = v),
        [nameof(FasterSettings.StopWhenPoisoned)] = static (s, text) =>
            bool.TryParse(text, out bool v) ? Set(s.StopWhenPoisoned = v) : "not true or false",
    };

    /// <inheritdoc/>
    public void Configure(string? name1, FasterSettings options)
    {
        if (name1 != name || configuration is null) return;
        foreach (IConfigurationSection setting in configuration.GetSection("Faster:" + name).GetChildren())
        {
            string? error = _settings.TryGetValue(setting.Key, out Func<FasterSettings, string, string?>? set)
                ? set(options, setting.Value ?? "")
                : $"no such setting; there are {string.Join(", ", _settings.Keys)}";
            if (error is not null) options.Errors.Add($"{setting.Path}: '{setting.Value}' is {error}.");
        }
    }

    /// <inheritdoc/>
    public void Configure(FasterSettings options) => Configure(Options.DefaultName, options);

    private static string? Set<T>(T value)
    {
        _ = value;
        return null;
    }

    private static string? Size(string text, Action<ByteSize> set)
    {
        if (!ByteSize.TryParse(text, out ByteSize size)) return "not a size, such as 64 MiB";
        set(size);
        return null;
    }

    private static string? Time(string text, Action<TimeSpan> set)
    {
        if (!TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan time))
            return "not a time, such as 00:00:05";
        set(time);
        return null;
    }
}
