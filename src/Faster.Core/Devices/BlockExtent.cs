namespace Faster.Devices;

/// <summary>The stretch of a device that holds a range of one page's bytes.</summary>
/// <param name="Offset">Where to transfer from, in bytes on the device: a multiple of the sector.</param>
/// <param name="Length">The bytes to transfer: a multiple of the sector.</param>
/// <param name="FirstBlock">The first block that holds bytes of the range: its index on the device.</param>
/// <param name="BlockCount">How many blocks hold bytes of the range: those that a read must verify.</param>
/// <param name="Skip">
/// Where the range begins in the decoded payload of those blocks (below <see cref="BlockFormat.Payload"/>).
/// </param>
internal readonly record struct BlockExtent(long Offset, int Length, long FirstBlock, int BlockCount, int Skip)
{
    /// <summary>Where the first block of the range lies in the transferred bytes.</summary>
    public int BlocksAt => (int)(FirstBlock * BlockFormat.BlockSize - Offset);

    /// <summary>Where the first byte of the range lies in the transferred bytes.</summary>
    public int PayloadAt => BlocksAt + Skip;

    /// <summary>The index on the device of the first transferred block.</summary>
    public long TransferBlock => Offset / BlockFormat.BlockSize;

    /// <summary>How many blocks are transferred.</summary>
    public int TransferCount => Length / BlockFormat.BlockSize;
}
