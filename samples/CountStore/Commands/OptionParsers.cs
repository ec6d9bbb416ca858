using System.CommandLine.Parsing;
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
}
