using System.CommandLine.Parsing;
using System.Globalization;
using CountStore.Counting;
using CountStore.Input;
using Faster;

namespace CountStore.Commands;

/// <summary>Reads the values of options; what is wrong with one becomes its error.</summary>
internal static class OptionParsers
{
    /// <summary>A format by its name.</summary>
    public static InputFormat? Format(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (InputFormat.TryParse(text, out InputFormat? format)) return format;
        result.AddError($"--format '{text}' is unknown: use {InputFormat.Choices}.");
        return null;
    }

    /// <summary>An engine by its name.</summary>
    public static CountEngine? Engine(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (CountEngine.TryParse(text, out CountEngine? engine)) return engine;
        result.AddError($"--engine '{text}' is unknown: use {CountEngine.Choices}.");
        return null;
    }

    /// <summary>A durability by its name.</summary>
    public static Durability? Durability(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        switch (text)
        {
            case "commits": return Faster.Durability.Commits;
            case "each-operation": return Faster.Durability.EachOperation;
            default:
                result.AddError($"--durability '{text}' is unknown: use commits or each-operation.");
                return null;
        }
    }

    /// <summary>A memory budget that a store can work with, and that is here.</summary>
    public static ByteSize Memory(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        ByteSize most = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        if (!ByteSize.TryParse(text, out ByteSize size))
            result.AddError($"--memory '{text}' is not a size: write a number and a unit, such as 16MB.");
        else if (size < StoreOptions.MinMemoryBudget || size > most)
            result.AddError($"--memory {text} is out of range: from {StoreOptions.MinMemoryBudget} to {most} here.");
        return size;
    }

    /// <summary>A whole number within bounds.</summary>
    public static int Number(ArgumentResult result, int least, int most)
    {
        string text = result.Tokens[0].Value;
        string option = ((OptionResult)result.Parent!).Option.Name;
        if (!int.TryParse(text, out int number) || number < least || number > most)
            result.AddError($"{option} '{text}' is not a whole number from {least} to {most}.");
        return number;
    }

    /// <summary>A time with its unit.</summary>
    public static TimeSpan? Duration(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        string option = ((OptionResult)result.Parent!).Option.Name;
        string unit = text.TrimStart([.. "0123456789."]);
        double unitLength = unit switch { "ms" => 1, "s" => 1_000, "min" => 60_000, _ => 0 };
        if (unitLength == 0 || !double.TryParse(
            text.AsSpan(0, text.Length - unit.Length), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture,
            out double number))
        {
            result.AddError($"{option} '{text}' is not a time: write a number and ms, s or min, such as 50ms.");
            return null;
        }

        double milliseconds = number * unitLength;
        if (milliseconds is >= 1 and <= 3_600_000) return TimeSpan.FromMilliseconds(milliseconds);
        result.AddError($"{option} {text} is out of range: from 1ms to 60min.");
        return null;
    }
}
