using System.Globalization;

namespace Faster.Ycsb.Commands;

/// <summary>A number of bytes as a user writes it: 30KB, 2MiB, 512. K, M and G are powers of 1,024.</summary>
internal static class ByteCount
{
    private const int MaxOfBuffer = 1 << 30;
    private const long MaxOfMemory = 1L << 46;

    private static readonly (string Suffix, int Shift)[] Units = [("G", 30), ("M", 20), ("K", 10), ("", 0)];

    /// <summary>Reads a number of bytes up to 1 GiB; false when it is none.</summary>
    public static bool TryParse(string text, out int bytes)
    {
        bool isRead = TryParse(text, out long all);
        bytes = (int)Math.Min(all, MaxOfBuffer);
        return isRead && all <= MaxOfBuffer;
    }

    /// <summary>Reads a number of bytes up to 64 TiB; false when it is none.</summary>
    public static bool TryParse(string text, out long bytes)
    {
        string upper = text.ToUpperInvariant();
        string bare = upper.EndsWith("IB", StringComparison.Ordinal) ? upper[..^2]
            : upper.EndsWith('B') ? upper[..^1] : upper;
        (string suffix, int shift) = Units.First(u => bare.EndsWith(u.Suffix, StringComparison.Ordinal));
        bool isNumber = int.TryParse(
            bare[..^suffix.Length], NumberStyles.None, CultureInfo.InvariantCulture, out int count);
        bytes = Math.Min((long)count << shift, MaxOfMemory);
        return isNumber && (long)count << shift is > 0 and <= MaxOfMemory;
    }
}
