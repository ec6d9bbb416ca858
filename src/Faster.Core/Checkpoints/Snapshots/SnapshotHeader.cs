using System.Runtime.InteropServices;

namespace Faster.Checkpoints.Snapshots;

/// <summary>What a snapshot captures (docs/formats/snapshot.md).</summary>
/// <param name="FromAddress">Below this address the log's own file has the records.</param>
/// <param name="BaseAddress">
/// From this address on, everything is in the file; below it, only what has changed since the commit that ended there.
/// Equal to <paramref name="FromAddress"/> in a whole snapshot.
/// </param>
/// <param name="EndAddress">The commit's end address.</param>
[StructLayout(LayoutKind.Sequential, Pack = 8)]
internal readonly record struct SnapshotHeader(long FromAddress, long BaseAddress, long EndAddress)
{
    /// <summary>Whether a file with this header continues where the files before it end.</summary>
    /// <param name="covered">The address at which they end; for the first file, the commit's FlushedUntil.</param>
    /// <param name="end">The commit's end address.</param>
    /// <param name="isFirst">Whether it is the first file, which must be a whole snapshot.</param>
    public bool Follows(long covered, long end, bool isFirst)
    {
        bool follows = isFirst ? FromAddress == BaseAddress && FromAddress <= covered : BaseAddress == covered;
        return follows && EndAddress >= BaseAddress && EndAddress <= end;
    }
}

/// <summary>The header of a run of log bytes, which follow it. Length 0 at address 0 ends the file.</summary>
/// <param name="Address">The address of the first byte.</param>
/// <param name="Length">The number of bytes.</param>
[StructLayout(LayoutKind.Sequential, Pack = 8)]
internal readonly record struct SnapshotRun(long Address, long Length);
