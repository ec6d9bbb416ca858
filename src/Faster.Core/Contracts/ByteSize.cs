using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Faster;

/// <summary>
/// A size in bytes. Configuration files and command lines write it with a unit, such as <c>16 MiB</c> or <c>1GB</c>.
/// </summary>
/// <param name="Bytes">The number of bytes.</param>
[TypeConverter(typeof(ByteSizeConverter))]
public readonly record struct ByteSize(long Bytes) : IComparable<ByteSize>, IParsable<ByteSize>
{
    /// <summary>Returns a size of <paramref name="count"/> KiB (1,024 bytes each).</summary>
    public static ByteSize KiB(double count) => new(checked((long)(count * (1L << 10))));

    /// <summary>Returns a size of <paramref name="count"/> MiB (1,048,576 bytes each).</summary>
    public static ByteSize MiB(double count) => new(checked((long)(count * (1L << 20))));

    /// <summary>Returns a size of <paramref name="count"/> GiB (1,073,741,824 bytes each).</summary>
    public static ByteSize GiB(double count) => new(checked((long)(count * (1L << 30))));

    /// <summary>
    /// Parses a size such as <c>64MB</c>, <c>1.5 GiB</c> or <c>4096</c>. Units are powers of 1,024; case and the "i"
    /// are ignored.
    /// </summary>
    /// <returns>False if the text is not a size, is negative, or is not below 2^63 bytes.</returns>
    public static bool TryParse(string? text, out ByteSize size)
    {
        size = default;
        if (string.IsNullOrWhiteSpace(text)) return false;
        ReadOnlySpan<char> rest = text.AsSpan().Trim();
        int digits = 0;
        while (digits < rest.Length && (char.IsAsciiDigit(rest[digits]) || rest[digits] == '.')) digits++;
        if (!double.TryParse(
            rest[..digits], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double n))
            return false;
        int shift = rest[digits..].Trim().ToString().ToUpperInvariant() switch
        {
            "" or "B" => 0,
            "K" or "KB" or "KIB" => 10,
            "M" or "MB" or "MIB" => 20,
            "G" or "GB" or "GIB" => 30,
            "T" or "TB" or "TIB" => 40,
            _ => -1,
        };
        double bytes = n * Math.Pow(2, shift);
        if (shift < 0 || bytes >= long.MaxValue) return false;
        size = new ByteSize((long)bytes);
        return true;
    }

    /// <summary>Parses a size; <see cref="TryParse"/> describes the format.</summary>
    /// <exception cref="FormatException">The text is not a size.</exception>
    public static ByteSize Parse(string text) => TryParse(text, out ByteSize size)
        ? size
        : throw new FormatException($"'{text}' is not a size: write a number and a unit, such as 64MB or 1.5GiB.");

    /// <inheritdoc/>
    static ByteSize IParsable<ByteSize>.Parse(string s, IFormatProvider? provider) => Parse(s);

    /// <inheritdoc/>
    static bool IParsable<ByteSize>.TryParse(
        [NotNullWhen(true)] string? s, IFormatProvider? provider, out ByteSize result) => TryParse(s, out result);

    /// <inheritdoc/>
    public int CompareTo(ByteSize other) => Bytes.CompareTo(other.Bytes);

    /// <summary>Returns whether the left size is smaller.</summary>
    public static bool operator <(ByteSize left, ByteSize right) => left.Bytes < right.Bytes;

    /// <summary>Returns whether the left size is larger.</summary>
    public static bool operator >(ByteSize left, ByteSize right) => left.Bytes > right.Bytes;

    /// <summary>Returns whether the left size is smaller or equal.</summary>
    public static bool operator <=(ByteSize left, ByteSize right) => left.Bytes <= right.Bytes;

    /// <summary>Returns whether the left size is larger or equal.</summary>
    public static bool operator >=(ByteSize left, ByteSize right) => left.Bytes >= right.Bytes;

    /// <summary>
    /// Formats the size in the largest unit in which it is at least 1, such as <c>64.0 MiB</c>, rounded to one decimal.
    /// </summary>
    public override string ToString()
    {
        string[] units = ["B", "KiB", "MiB", "GiB", "TiB"];
        double value = Bytes;
        int unit = 0;
        while (Math.Abs(value) >= 1024 && unit < units.Length - 1)
        {
            value /= 1024;
            unit++;
        }

        return value.ToString(unit == 0 ? "0" : "0.0", CultureInfo.InvariantCulture) + " " + units[unit];
    }
}
