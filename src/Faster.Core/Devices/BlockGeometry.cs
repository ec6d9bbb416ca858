using System.Runtime.CompilerServices;

namespace Faster.Devices;

/// <summary>Where the bytes of logical pages lie among the blocks of a device (docs/formats/log-blocks.md).</summary>
/// <remarks>
/// Invariants: page p begins at p · <see cref="PageStride"/>, a multiple of 4096; a range of a page never reaches, with
/// its alignment to sectors of up to 4096 bytes, into another page. Immutable; thread-safe.
/// </remarks>
internal readonly struct BlockGeometry
{
    /// <summary>The smallest page: 512 bytes.</summary>
    public const int MinPageBits = 9;

    /// <summary>The largest page, 512 MiB: with its trailers it is still one transfer.</summary>
    public const int MaxPageBits = 29;

    /// <summary>The largest sector that pages are aligned to.</summary>
    public const int MaxSector = 4096;

    /// <summary>The geometry of pages of one size.</summary>
    /// <param name="pageBits">
    /// The logarithm of the page's bytes, from <see cref="MinPageBits"/> to <see cref="MaxPageBits"/>.
    /// </param>
    public BlockGeometry(int pageBits)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pageBits, MinPageBits);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pageBits, MaxPageBits);
        PageBits = pageBits;
        UsedBlocks = (PageBytes + BlockFormat.Payload - 1) / BlockFormat.Payload;
        PageStride = (UsedBlocks * BlockFormat.BlockSize + MaxSector - 1) & -MaxSector;
    }

    /// <summary>The logarithm of the page's bytes.</summary>
    public int PageBits { get; }

    /// <summary>The bytes of a page in memory.</summary>
    public int PageBytes => 1 << PageBits;

    /// <summary>The bytes of a page on the device.</summary>
    public int PageStride { get; }

    /// <summary>The blocks of a page on the device, those that only fill it up included.</summary>
    public int BlocksPerPage => PageStride / BlockFormat.BlockSize;

    /// <summary>The blocks that hold the page's bytes.</summary>
    public int UsedBlocks { get; }

    /// <summary>Where a page begins on the device.</summary>
    public long OffsetOfPage(long page) => page * PageStride;

    /// <summary>The whole of a page, the blocks that fill it up included: what a flush of a full page writes.</summary>
    public BlockExtent MapPage(long page) =>
        new(OffsetOfPage(page), PageStride, page * BlocksPerPage, BlocksPerPage, 0);

    /// <summary>Where a range of one page lies.</summary>
    /// <param name="address">The logical address of its first byte.</param>
    /// <param name="length">Its bytes: above 0, and not beyond the page's end.</param>
    /// <param name="sectorSize">The device's unit of transfers: a power of two, 512 to 4096.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public BlockExtent Map(long address, int length, int sectorSize)
    {
        int inPage = OffsetInPage(address);
        if (length <= 0 || length > PageBytes - inPage) ThrowNotInPage(address, length);
        int first = inPage / BlockFormat.Payload;
        int end = (inPage + length - 1) / BlockFormat.Payload + 1;
        int from = first * BlockFormat.BlockSize & -sectorSize;
        int to = (end * BlockFormat.BlockSize + sectorSize - 1) & -sectorSize;
        long page = address >> PageBits;
        return new BlockExtent(
            OffsetOfPage(page) + from,
            to - from,
            page * BlocksPerPage + first,
            end - first,
            inPage - first * BlockFormat.Payload);
    }

    /// <summary>
    /// The first logical address, from one on, whose bytes begin in a sector of their own, or the next page. A log that
    /// pads to it never writes a synced sector again.
    /// </summary>
    /// <param name="address">The logical address.</param>
    /// <param name="sectorSize">The device's unit of transfers: a power of two, 512 to 4096.</param>
    public long AlignToSector(long address, int sectorSize)
    {
        int unit = sectorSize / BlockFormat.BlockSize * BlockFormat.Payload;
        int inPage = OffsetInPage(address);
        long aligned = ((long)inPage + unit - 1) / unit * unit;
        return address - inPage + Math.Min(aligned, PageBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int OffsetInPage(long address) => (int)(address & (PageBytes - 1));

    private void ThrowNotInPage(long address, int length) => throw new ArgumentOutOfRangeException(
        nameof(length), length, $"A range of {length} bytes at {address} is empty or leaves its page of {PageBytes}.");
}
