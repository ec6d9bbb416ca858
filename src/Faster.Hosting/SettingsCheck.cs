using Microsoft.Extensions.Options;

namespace Faster.Hosting;

/// <summary>
/// Finds all errors in the settings of a store, and makes the options of its engine. What only opening can know, such
/// as whether the folder is writable, is reported by opening.
/// </summary>
/// <remarks>Thread-safe: no state.</remarks>
/// <param name="name">The store's name.</param>
/// <param name="defaults">The default options of its engine.</param>
internal sealed class SettingsCheck(string name, EngineOptions defaults) : IValidateOptions<FasterSettings>
{
    private static readonly TimeSpan LongestInterval = TimeSpan.FromDays(40);
    private static readonly ByteSize LeastDisk = ByteSize.KiB(256);

    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name1, FasterSettings options)
    {
        if (name1 != name) return ValidateOptionsResult.Skip;
        List<string> errors = [.. options.Errors];
        void Check(string setting, bool isRight, string rule)
        {
            if (!isRight) errors.Add($"Faster:{name}:{setting} {rule}.");
        }

        bool hasLog = defaults is LogStoreOptions;
        Check(nameof(options.Path), !hasLog || options.Path is not null,
            "is missing: name the store's folder, or set it to an empty text for a store in memory");
        Check(nameof(options.Path), hasLog || options.IsInMemory, "must be empty: the store's engine has no folder");
        Check(nameof(options.CloseTimeout), options.CloseTimeout is null || options.CloseTimeout > TimeSpan.Zero,
            "must be above zero");
        Check(nameof(options.WaitForFolder), IsTime(options.WaitForFolder), "must be from zero to 40 days");
        Check(nameof(options.CommitDelayLimit), IsTime(options.CommitDelayLimit), "must be from zero to 40 days");
        Check(nameof(options.CommitEvery), IsTime(options.CommitEvery), "must be from zero to 40 days");
        Check(nameof(options.TimeToLive), options.TimeToLive is null || options.TimeToLive >= TimeSpan.Zero,
            "must not be negative");
        Check(nameof(options.ReadCacheFraction), options.ReadCacheFraction is null or (>= 0 and <= 0.9),
            "must be from 0 to 0.9");
        Check(nameof(options.DiskBudget), options.DiskBudget is null or { Bytes: 0 } || options.DiskBudget >= LeastDisk,
            $"must be 0, for no limit, or at least {LeastDisk}");
        foreach (string setting in hasLog ? [] : OfLogs(options))
            Check(setting, isRight: false, "has no meaning for the store's engine: remove it");
        return errors.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(errors);
    }

    /// <summary>Makes the engine's options of settings that are right.</summary>
    public EngineOptions ToOptions(FasterSettings settings, TimeProvider time)
    {
        EngineOptions options = defaults with
        {
            MemoryBudget = settings.MemoryBudget ?? defaults.MemoryBudget,
            CloseTimeout = settings.CloseTimeout ?? defaults.CloseTimeout,
        };
        if (options is LogStoreOptions log)
        {
            log = log with
            {
                ReadCacheFraction = settings.ReadCacheFraction ?? log.ReadCacheFraction,
                TimeToLive = settings.TimeToLive ?? log.TimeToLive,
                TimeProvider = time,
            };
            options = settings.IsInMemory ? log : log with
            {
                DiskBudget = settings.DiskBudget ?? log.DiskBudget,
                Durability = settings.Durability ?? log.Durability,
                CommitEvery = settings.CommitEvery ?? log.CommitEvery,
                CommitEveryBytes = settings.CommitEveryBytes ?? log.CommitEveryBytes,
            };
        }

        return settings.Options?.Invoke(options) ?? options;
    }

    private static bool IsTime(TimeSpan? time) => time is null || (time >= TimeSpan.Zero && time <= LongestInterval);

    private static IEnumerable<string> OfLogs(FasterSettings settings)
    {
        if (settings.DiskBudget is not null) yield return nameof(settings.DiskBudget);
        if (settings.ReadCacheFraction is not null) yield return nameof(settings.ReadCacheFraction);
        if (settings.TimeToLive is not null) yield return nameof(settings.TimeToLive);
        if (settings.Durability is not null) yield return nameof(settings.Durability);
        if (settings.CommitEvery is not null) yield return nameof(settings.CommitEvery);
        if (settings.CommitEveryBytes is not null) yield return nameof(settings.CommitEveryBytes);
    }
}
