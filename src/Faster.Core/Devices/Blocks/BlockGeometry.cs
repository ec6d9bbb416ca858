using System.Runtime.CompilerServices;
using Faster.Invariants;

namespace Faster.Devices.Blocks;

/// <summary>Maps the bytes of logical pages to the blocks of a device (docs/formats/log-blocks.md).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Page p begins at p · <see cref="PageStride"/>, a multiple of 4096.</item>
/// <item>A range of a page, aligned to sectors of up to 4096 bytes, never reaches into another page.</item>
/// </list>
/// <para>Immutable; thread-safe.</para>
/// </remarks>
internal readonly struct BlockGeometry
{
    /// <summary>The smallest page: 512 bytes.</summary>
    public const int MinPageBits = 9;

    /// <summary>The largest page, 512 MiB: with its trailers it is still one transfer.</summary>
    public const int MaxPageBits = 29;

    /// <summary>The largest sector in bytes that pages are aligned to.</summary>
    public const int MaxSector = 4096;

    /// <summary>Computes the geometry of pages of one size.</summary>
    /// <param name="pageBits">
    /// The base-2 logarithm of the page's bytes, from <see cref="MinPageBits"/> to <see cref="MaxPageBits"/>.
    /// </param>
    public BlockGeometry(int pageBits)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(pageBits, MinPageBits);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pageBits, MaxPageBits);
        PageBits = pageBits;
        UsedBlocks = (PageBytes + BlockFormat.Payload - 1) / BlockFormat.Payload;
        PageStride = (UsedBlocks * BlockFormat.BlockSize + MaxSector - 1) & -MaxSector;
    }

    /// <summary>The base-2 logarithm of the page's bytes.</summary>
    public int PageBits { get; }

    /// <summary>The bytes of a page in memory.</summary>
    public int PageBytes => 1 << PageBits;

    /// <summary>The bytes of a page on the device.</summary>
    public int PageStride { get; }

    /// <summary>The number of blocks of a page on the device, including those that only pad it.</summary>
    public int BlocksPerPage => PageStride / BlockFormat.BlockSize;

    /// <summary>The number of blocks that hold the page's bytes.</summary>
    public int UsedBlocks { get; }

    /// <summary>The start of a page in bytes on the device.</summary>
    public long OffsetOfPage(long page) => page * PageStride;

    /// <summary>The extent of a whole page, including the padding blocks: what a flush of a full page writes.</summary>
    public BlockExtent MapPage(long page) =>
        new(OffsetOfPage(page), PageStride, page * BlocksPerPage, BlocksPerPage, 0);

    /// <summary>The extent of a range of one page.</summary>
    /// <param name="address">The logical address of its first byte.</param>
    /// <param name="length">The range's bytes: above 0, and not beyond the page's end.</param>
    /// <param name="sectorSize">The device's unit of transfers in bytes: a power of two, 512 to 4096.</param>
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
        Invariant.DebugCheck(
            from >= 0 && to <= PageStride && from <= first * BlockFormat.BlockSize && end <= UsedBlocks,
            $"the blocks of {length} bytes at {address} lie in their page: {from} to {to} of {PageStride}");
        return new BlockExtent(
            OffsetOfPage(page) + from,
            to - from,
            page * BlocksPerPage + first,
            end - first,
            inPage - first * BlockFormat.Payload);
    }

    /// <summary>
    /// The first logical address, at or after another one, whose bytes begin in a sector of their own, or the next
    /// page. A log that pads to it never writes a synced sector again.
    /// </summary>
    /// <param name="address">The logical address.</param>
    /// <param name="sectorSize">The device's unit of transfers in bytes: a power of two, 512 to 4096.</param>
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
