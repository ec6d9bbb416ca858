using System.Runtime.InteropServices;

namespace Faster.Tests.Memory;

/// <summary>Which pages of this process's memory the system has provided (Linux).</summary>
internal static unsafe partial class ResidentPages
{
    /// <summary>Returns whether each page of a range is in memory.</summary>
    public static bool[] Of(byte* start, long length)
    {
        int page = Environment.SystemPageSize;
        nint first = (nint)start / page * page;
        byte[] pages = new byte[((nint)start + length - first + page - 1) / page];
        Assert.Equal(0, MInCore(first, (nuint)(pages.Length * page), pages));
        return [.. pages.Select(static p => (p & 1) != 0)];
    }

    /// <summary>Returns whether all pages of a range are in memory.</summary>
    public static bool AreAll(byte* start, long length) => Of(start, length).All(static isResident => isResident);

    [LibraryImport("libc", EntryPoint = "mincore")]
    private static partial int MInCore(nint address, nuint length, byte[] pages);
}
