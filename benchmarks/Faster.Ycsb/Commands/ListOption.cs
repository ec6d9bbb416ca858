using System.CommandLine;
using System.CommandLine.Parsing;

namespace Faster.Ycsb.Commands;

/// <summary>An option that takes values separated by commas.</summary>
/// <typeparam name="T">A value.</typeparam>
internal sealed class ListOption<T> : Option<string>
{
    private readonly TryParse _tryParse;

    /// <summary>Makes an option.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="description">What it is for.</param>
    /// <param name="fallback">What it is when it is not given, as a user would write it.</param>
    /// <param name="tryParse">Reads one value.</param>
    /// <param name="what">What the values are, for messages: "--name takes ...".</param>
    public ListOption(string name, string description, string fallback, TryParse tryParse, string what)
        : base(name)
    {
        _tryParse = tryParse;
        HelpName = "A,B,…";
        Description = $"{description} One or more, separated by commas.";
        DefaultValueFactory = _ => fallback;
        Validators.Add(result => Validate(result, what));
    }

    /// <summary>Reads one value; false when a text is none.</summary>
    internal delegate bool TryParse(string text, out T value);

    /// <summary>The values that a user gave.</summary>
    public T[] ValuesOf(ParseResult parsed) => [.. Split(parsed.GetValue(this)!).Select(text =>
    {
        _tryParse(text, out T value);
        return value;
    })];

    private void Validate(OptionResult result, string what)
    {
        if (result.Tokens.Count != 1)
            return;
        foreach (string text in Split(result.Tokens[0].Value).Where(text => !_tryParse(text, out _)))
            result.AddError($"{Name} takes {what}, separated by commas; '{text}' is not one.");
    }

    private static string[] Split(string list) => list.Split(',', StringSplitOptions.TrimEntries);
}
