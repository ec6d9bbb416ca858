using System.Runtime.InteropServices;

namespace Faster.Checkpoints;

/// <summary>What a snapshot captures (docs/formats/snapshot.md).</summary>
/// <param name="FromAddress">Below it the log itself had the records.</param>
/// <param name="BaseAddress">
/// From it on everything is in the file; below it only what has changed since the commit that ended there. The same as
/// <paramref name="FromAddress"/> in a whole snapshot.
/// </param>
/// <param name="EndAddress">The commit's end.</param>
[StructLayout(LayoutKind.Sequential, Pack = 8)]
internal readonly record struct SnapshotHeader(long FromAddress, long BaseAddress, long EndAddress)
{
    /// <summary>Whether a file of this header goes on where those before it end.</summary>
    /// <param name="covered">Where they end; of the first file, the commit's FlushedUntil.</param>
    /// <param name="end">The commit's end.</param>
    /// <param name="isFirst">Whether it is the first: a whole snapshot.</param>
    public bool Follows(long covered, long end, bool isFirst)
    {
        bool follows = isFirst ? FromAddress == BaseAddress && FromAddress <= covered : BaseAddress == covered;
        return follows && EndAddress >= BaseAddress && EndAddress <= end;
    }
}

/// <summary>A stretch of the log in a snapshot: its bytes follow. One of no bytes at address 0 ends the file.</summary>
/// <param name="Address">The address of the first byte.</param>
/// <param name="Length">The bytes.</param>
[StructLayout(LayoutKind.Sequential, Pack = 8)]
internal readonly record struct SnapshotRun(long Address, long Length);
