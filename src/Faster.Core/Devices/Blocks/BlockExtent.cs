namespace Faster.Devices.Blocks;

/// <summary>The range of a device that holds a range of one page's bytes.</summary>
/// <param name="Offset">The start of the transfer in bytes on the device: a multiple of the sector size.</param>
/// <param name="Length">The bytes to transfer: a multiple of the sector size.</param>
/// <param name="FirstBlock">The index on the device of the first block that holds bytes of the range.</param>
/// <param name="BlockCount">The number of blocks that hold bytes of the range: a read must verify them.</param>
/// <param name="Skip">
/// The offset of the range in the decoded payload of those blocks (below <see cref="BlockFormat.Payload"/>).
/// </param>
internal readonly record struct BlockExtent(long Offset, int Length, long FirstBlock, int BlockCount, int Skip)
{
    /// <summary>The offset of the range's first block in the transferred bytes.</summary>
    public int BlocksAt => (int)(FirstBlock * BlockFormat.BlockSize - Offset);

    /// <summary>The offset of the range's first byte in the transferred bytes.</summary>
    public int PayloadAt => BlocksAt + Skip;

    /// <summary>The index on the device of the first transferred block.</summary>
    public long TransferBlock => Offset / BlockFormat.BlockSize;

    /// <summary>The number of transferred blocks.</summary>
    public int TransferCount => Length / BlockFormat.BlockSize;
}
