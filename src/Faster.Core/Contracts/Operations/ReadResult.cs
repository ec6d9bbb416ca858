using System.Diagnostics.CodeAnalysis;

namespace Faster;

/// <summary>What a read found.</summary>
/// <typeparam name="TOutput">The output's type.</typeparam>
/// <param name="Found">Whether the key exists.</param>
/// <param name="Value">The output; the type's default when the key does not exist.</param>
public readonly record struct ReadResult<TOutput>(bool Found, TOutput Value)
{
    /// <summary>The output when the key exists.</summary>
    /// <returns>Whether the key exists.</returns>
    public bool TryGetValue([MaybeNullWhen(false)] out TOutput value)
    {
        value = Value;
        return Found;
    }

    /// <summary>The output, or a fallback when the key does not exist.</summary>
    public TOutput GetValueOrDefault(TOutput fallback) => Found ? Value : fallback;
}
