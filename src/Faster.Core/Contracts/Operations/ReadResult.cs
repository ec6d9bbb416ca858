using System.Diagnostics.CodeAnalysis;

namespace Faster;

/// <summary>The output of a read, and whether the key exists.</summary>
/// <typeparam name="TOutput">The output's type.</typeparam>
/// <param name="Found">Whether the key exists.</param>
/// <param name="Value">The output; the type's default if the key does not exist.</param>
public readonly record struct ReadResult<TOutput>(
    [property: MemberNotNullWhen(true, "Value")] bool Found, [property: MaybeNull] TOutput Value)
{
    /// <summary>Gets the output if the key exists.</summary>
    /// <param name="value">The output; the type's default if the key does not exist.</param>
    /// <returns>Whether the key exists.</returns>
    public bool TryGetValue([MaybeNullWhen(false)] out TOutput value)
    {
        value = Value;
        return Found;
    }

    /// <summary>Deconstructs the result.</summary>
    /// <param name="found">Whether the key exists.</param>
    /// <param name="value">The output; the type's default if the key does not exist.</param>
    public void Deconstruct(out bool found, [MaybeNull] out TOutput value) => (found, value) = (Found, Value);

    /// <summary>Returns the output, or the type's default if the key does not exist.</summary>
    [return: MaybeNull]
    public TOutput GetValueOrDefault() => Found ? Value : default;

    /// <summary>Returns the output, or a fallback if the key does not exist.</summary>
    public TOutput GetValueOrDefault(TOutput fallback) => Found ? Value : fallback;
}
