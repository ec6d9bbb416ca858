using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Faster;

/// <summary>A number of bytes that says so; configurations and command lines give it as «16 MiB» or «1GB».</summary>
/// <param name="Bytes">The bytes.</param>
[TypeConverter(typeof(ByteSizeConverter))]
public readonly record struct ByteSize(long Bytes) : IComparable<ByteSize>, IParsable<ByteSize>
{
    /// <summary>So many KiB (1,024 bytes).</summary>
    public static ByteSize KiB(double count) => new(checked((long)(count * (1L << 10))));

    /// <summary>So many MiB (1,048,576 bytes).</summary>
    public static ByteSize MiB(double count) => new(checked((long)(count * (1L << 20))));

    /// <summary>So many GiB (1,073,741,824 bytes).</summary>
    public static ByteSize GiB(double count) => new(checked((long)(count * (1L << 30))));

    /// <summary>
    /// Reads «64MB», «1.5 GiB», «4096»; units are powers of 1,024, and case and the «i» do not matter.
    /// </summary>
    /// <returns>False when the text is not a size, is negative, or exceeds 2^63 bytes.</returns>
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

    /// <summary>Reads a size (see <see cref="TryParse"/>).</summary>
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

    /// <summary>Whether the left size is smaller.</summary>
    public static bool operator <(ByteSize left, ByteSize right) => left.Bytes < right.Bytes;

    /// <summary>Whether the left size is larger.</summary>
    public static bool operator >(ByteSize left, ByteSize right) => left.Bytes > right.Bytes;

    /// <summary>Whether the left size is not larger.</summary>
    public static bool operator <=(ByteSize left, ByteSize right) => left.Bytes <= right.Bytes;

    /// <summary>Whether the left size is not smaller.</summary>
    public static bool operator >=(ByteSize left, ByteSize right) => left.Bytes >= right.Bytes;

    /// <summary>The size in its largest whole unit, such as «64.0 MiB».</summary>
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
