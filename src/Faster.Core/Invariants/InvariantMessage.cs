using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Faster.Invariants;

/// <summary>
/// The text of a check of <see cref="Invariant"/>. The compiler evaluates and formats the values only if the invariant
/// does not hold.
/// </summary>
[InterpolatedStringHandler]
internal readonly ref struct InvariantMessage
{
    private readonly StringBuilder? _text;

    /// <summary>Called by the compiler.</summary>
    /// <param name="literalLength">The number of literal characters.</param>
    /// <param name="formattedCount">The number of values.</param>
    /// <param name="holds">Whether the invariant holds.</param>
    /// <param name="isNeeded">Whether there is a text to make.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public InvariantMessage(int literalLength, int formattedCount, bool holds, out bool isNeeded)
    {
        _ = formattedCount;
        isNeeded = !holds;
        if (isNeeded) _text = new StringBuilder(literalLength);
    }

    /// <summary>Appends a literal part.</summary>
    public void AppendLiteral(string text) => _text!.Append(text);

    /// <summary>Appends a value, such as an address or a count.</summary>
    public void AppendFormatted<T>(T value) => _text!.Append(CultureInfo.InvariantCulture, $"{value}");

    /// <summary>Appends a value in a format of its type.</summary>
    public void AppendFormatted<T>(T value, string? format)
        where T : IFormattable => _text!.Append(value.ToString(format, CultureInfo.InvariantCulture));

    /// <summary>The text.</summary>
    public override string ToString() => _text!.ToString();
}
