using System.CommandLine;

namespace Faster.Workload;

/// <summary>Command-line options that check their values, shared by the programs that run workloads.</summary>
internal static class Options
{
    /// <summary>A whole number within bounds.</summary>
    public static Option<int> Number(string name, string description, int fallback, int least, int greatest)
    {
        var option = new Option<int>(name) { Description = description, DefaultValueFactory = _ => fallback };
        option.Validators.Add(result =>
        {
            int value = result.GetValueOrDefault<int>();
            if (value < least || value > greatest)
                result.AddError($"{name} must be from {least} to {greatest}; {value} is not.");
        });
        return option;
    }

    /// <summary>A duration in seconds.</summary>
    public static Option<double> Seconds(string name, string description, double fallback)
    {
        var option = new Option<double>(name) { Description = description, DefaultValueFactory = _ => fallback };
        option.Validators.Add(result =>
        {
            double value = result.GetValueOrDefault<double>();
            if (value is not (> 0 and <= 3600))
                result.AddError($"{name} must be above 0 and at most 3600 seconds; {value} is not.");
        });
        return option;
    }

    /// <summary>How many keys are loaded.</summary>
    public static Option<int> Keys(int fallback) =>
        Number("--keys", "How many keys to load, 8 bytes each, with values of 8 bytes.", fallback, 1, 1 << 30);
}
