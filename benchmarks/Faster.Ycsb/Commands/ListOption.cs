using System.CommandLine;
using System.CommandLine.Parsing;

namespace Faster.Ycsb.Commands;

/// <summary>Options that take values separated by commas.</summary>
internal static class ListOption
{
    /// <summary>Makes an option.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="description">What it is for.</param>
    /// <param name="fallback">What it is when it is not given, as a user would write it.</param>
    /// <param name="tryParse">Reads one value; null when it is none.</param>
    /// <param name="what">What the values are, for messages.</param>
    public static Option<T[]> Create<T>(
        string name, string description, string fallback, Func<string, T?> tryParse, string what)
        where T : class => Make<T>(
            name, description, fallback, text => tryParse(text) is { } value ? [value] : null, what);

    /// <inheritdoc cref="Create"/>
    public static Option<T[]> CreateOfValues<T>(
        string name, string description, string fallback, Func<string, T?> tryParse, string what)
        where T : struct => Make<T>(
            name, description, fallback, text => tryParse(text) is { } value ? [value] : null, what);

    private static Option<T[]> Make<T>(
        string name, string description, string fallback, Func<string, T[]?> tryParse, string what) => new(name)
        {
            Description = $"{description} One or more, separated by commas. [default: {fallback}]",
            Arity = ArgumentArity.ExactlyOne,
            CustomParser = result => Parse(result, name, tryParse, what),
            DefaultValueFactory = _ => [.. Split(fallback).SelectMany(text => tryParse(text)!)],
        };

    private static T[]? Parse<T>(ArgumentResult result, string name, Func<string, T[]?> tryParse, string what)
    {
        var values = new List<T>();
        foreach (string text in Split(result.Tokens[0].Value))
        {
            if (tryParse(text) is not { } value)
            {
                result.AddError($"{name} takes {what}, separated by commas; '{text}' is none.");
                return null;
            }

            values.AddRange(value);
        }

        return [.. values];
    }

    private static string[] Split(string list) => list.Split(',', StringSplitOptions.TrimEntries);
}
