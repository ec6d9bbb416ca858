using System.Diagnostics.CodeAnalysis;

namespace Faster;

/// <summary>What a read found.</summary>
/// <typeparam name="TOutput">The output's type.</typeparam>
/// <param name="Found">Whether the key exists.</param>
/// <param name="Value">The output; the type's default when the key does not exist.</param>
public readonly record struct ReadResult<TOutput>(
    [property: MemberNotNullWhen(true, "Value")] bool Found, [property: MaybeNull] TOutput Value)
{
    /// <summary>The output when the key exists.</summary>
    /// <returns>Whether the key exists.</returns>
    public bool TryGetValue([MaybeNullWhen(false)] out TOutput value)
    {
        value = Value;
        return Found;
    }

    /// <summary>Takes the result apart.</summary>
    /// <param name="found">Whether the key exists.</param>
    /// <param name="value">The output; the type's default when the key does not exist.</param>
    public void Deconstruct(out bool found, [MaybeNull] out TOutput value) => (found, value) = (Found, Value);

    /// <summary>The output, or a fallback when the key does not exist.</summary>
    public TOutput GetValueOrDefault(TOutput fallback) => Found ? Value : fallback;
}
