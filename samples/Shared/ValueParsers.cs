using System.CommandLine.Parsing;
using System.Globalization;
using Faster;

namespace Samples;

/// <summary>Reads the values of options; what is wrong with one becomes its error.</summary>
internal static class ValueParsers
{
    /// <summary>A memory budget that a store can work with, and that is here.</summary>
    public static ByteSize Memory(ArgumentResult result, ByteSize least)
    {
        string text = result.Tokens[0].Value;
        ByteSize most = new(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        if (!ByteSize.TryParse(text, out ByteSize size))
            result.AddError($"--memory '{text}' is not a size: write a number and a unit, such as 16MB.");
        else if (size < least || size > most)
            result.AddError($"--memory {text} is out of range: from {least} to {most} here.");
        return size;
    }

    /// <summary>A whole number within bounds.</summary>
    public static int Number(ArgumentResult result, int least, int most)
    {
        string text = result.Tokens[0].Value;
        if (!int.TryParse(text, out int number) || number < least || number > most)
            result.AddError($"{NameOf(result)} '{text}' is not a whole number from {least} to {most}.");
        return number;
    }

    /// <summary>A time with its unit.</summary>
    public static TimeSpan? Duration(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        string unit = text.TrimStart([.. "0123456789."]);
        double unitLength = unit switch { "ms" => 1, "s" => 1_000, "min" => 60_000, _ => 0 };
        if (unitLength == 0 || !double.TryParse(
            text.AsSpan(0, text.Length - unit.Length), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture,
            out double number))
        {
            result.AddError(
                $"{NameOf(result)} '{text}' is not a time: write a number and ms, s or min, such as 50ms.");
            return null;
        }

        double milliseconds = number * unitLength;
        if (milliseconds is >= 1 and <= 3_600_000) return TimeSpan.FromMilliseconds(milliseconds);
        result.AddError($"{NameOf(result)} {text} is out of range: from 1ms to 60min.");
        return null;
    }

    private static string NameOf(ArgumentResult result) => ((OptionResult)result.Parent!).Option.Name;
}
