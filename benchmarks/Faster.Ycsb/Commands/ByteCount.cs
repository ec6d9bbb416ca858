using System.Globalization;

namespace Faster.Ycsb.Commands;

/// <summary>A number of bytes as a user writes it: 30KB, 2MiB, 512. K, M and G are powers of 1,024.</summary>
internal static class ByteCount
{
    private static readonly (string Suffix, int Shift)[] Units = [("G", 30), ("M", 20), ("K", 10), ("", 0)];

    /// <summary>Reads a number of bytes up to 1 GiB; null when it is none.</summary>
    public static int? TryParse(string text)
    {
        string upper = text.Trim().ToUpperInvariant();
        string bare = upper.EndsWith("IB", StringComparison.Ordinal) ? upper[..^2]
            : upper.EndsWith('B') ? upper[..^1] : upper;
        (string suffix, int shift) = Units.First(u => bare.EndsWith(u.Suffix, StringComparison.Ordinal));
        return int.TryParse(
            bare[..^suffix.Length], NumberStyles.None, CultureInfo.InvariantCulture, out int count)
            && (long)count << shift is > 0 and <= 1 << 30
                ? count << shift
                : null;
    }
}
