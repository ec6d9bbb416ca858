using System.Numerics;
using System.Runtime.InteropServices;
using Faster.Devices;
using Faster.Devices.Blocks;

namespace Faster.Tests.Devices.Blocks;

public sealed unsafe class BlockFormatTests
{
    private static readonly BlockIdentity Seal = new(0x0123456789ABCDEF, 3);

    [Fact]
    public void A_block_is_laid_out_as_drawn()
    {
        byte[] payload = Bytes(504, seed: 1);
        byte[] block = Encode(Seal, 77, payload, 1);
        Assert.Equal(512, block.Length);
        Assert.Equal(payload, block[..504]);
        uint crc = BitOperations.Crc32C(BitOperations.Crc32C(uint.MaxValue, Seal.Identity), 77UL);
        foreach (byte b in payload) crc = BitOperations.Crc32C(crc, b); // byte by byte is the same sum as word by word
        foreach (byte b in BitConverter.GetBytes(3u)) crc = BitOperations.Crc32C(crc, b);
        Assert.Equal(~crc, BitConverter.ToUInt32(block, 504));
        Assert.Equal(3u, BitConverter.ToUInt32(block, 508));
    }

    [Fact]
    public void Blocks_verified_and_written_together_are_as_those_verified_one_by_one()
    {
        for (int count = 1; count <= 13; count++)
        {
            byte[] blocks = Bytes(512 * count, seed: count), one = [.. blocks];
            fixed (byte* together = blocks, single = one)
            {
                BlockFormat.WriteTrailers(Seal, 9, together, count);
                for (int i = 0; i < count; i++) BlockFormat.WriteTrailer(Seal, 9 + i, single + (512 * i));
                Assert.Equal(one, blocks);
                Assert.Equal(-1, BlockFormat.FirstDamaged(Seal, 9, together, count));
                Assert.Equal(9, BlockFormat.FirstDamaged(Seal with { Incarnation = 4 }, 9, together, count));
                Assert.Equal(8, BlockFormat.FirstDamaged(Seal, 8, together, count));
                for (int i = count - 1; i >= 0; i--)
                {
                    together[(512 * i) + (i * 97 % 512)] ^= 1;
                    Assert.Equal(9 + i, BlockFormat.FirstDamaged(Seal, 9, together, count));
                }
            }
        }
    }

    [Fact]
    public void The_checksum_is_the_standard_one()
    {
        uint crc = uint.MaxValue;
        foreach (byte b in "123456789"u8) crc = BitOperations.Crc32C(crc, b);
        Assert.Equal(0xE3069283u, ~crc);
    }

    [Theory]
    [InlineData(9, 2, 4096)]
    [InlineData(12, 9, 8192)]
    [InlineData(15, 66, 36864)]
    [InlineData(20, 2081, 1069056)]
    [InlineData(29, 1065221, 545394688)]
    public void Pages_take_what_the_format_says(int pageBits, int used, int stride)
    {
        var geometry = new BlockGeometry(pageBits);
        Assert.Equal(used, geometry.UsedBlocks);
        Assert.Equal(stride, geometry.PageStride);
        Assert.Equal(stride / 512, geometry.BlocksPerPage);
        Assert.Equal(3L * stride, geometry.OffsetOfPage(3));
        Assert.True(stride <= Device.MaxTransfer);
    }

    [Fact]
    public void Ranges_of_pages_read_back_for_every_sector_size()
    {
        var random = new Random(20260101);
        foreach (int pageBits in (int[])[9, 12, 14])
        {
            var geometry = new BlockGeometry(pageBits);
            byte[] disk = EncodePages(geometry, pages: 3, out byte[] memory);
            for (int i = 0; i < 500; i++)
            {
                int sector = 512 << random.Next(4);
                long page = random.Next(3);
                int inPage = random.Next(geometry.PageBytes);
                int length = random.Next(1, geometry.PageBytes - inPage + 1);
                long address = (page << pageBits) + inPage;
                BlockExtent extent = geometry.Map(address, length, sector);
                Assert.Equal(0, extent.Offset % sector);
                Assert.Equal(0, extent.Length % sector);
                Assert.True(extent.Offset >= geometry.OffsetOfPage(page));
                Assert.True(extent.Offset + extent.Length <= geometry.OffsetOfPage(page + 1));
                Assert.True(extent.Length - extent.BlockCount * 512 < 2 * sector, "fetches no more than it must");
                byte[] fetched = disk.AsSpan((int)extent.Offset, extent.Length).ToArray();
                Assert.Equal(memory[address], fetched[extent.PayloadAt]);
                Assert.True(Decode(Seal, extent, fetched, out byte[] payload, inPlace: i % 2 == 0, out long damaged));
                Assert.Equal(-1, damaged);
                Assert.True(payload.AsSpan(extent.Skip, length).SequenceEqual(memory.AsSpan((int)address, length)));
            }
        }
    }

    [Fact]
    public void Parts_of_a_page_written_one_after_the_other_give_the_page()
    {
        var geometry = new BlockGeometry(14);
        byte[] whole = EncodePages(geometry, pages: 1, out byte[] memory);
        foreach (int sector in (int[])[512, 4096])
        {
            var disk = new byte[geometry.PageStride];
            long from = 0;
            for (int step = 1; from < geometry.PageBytes; step = step * 3 % 5000 + 7)
            {
                long to = geometry.AlignToSector(Math.Min(from + step, geometry.PageBytes), sector);
                BlockExtent extent = geometry.Map(from, (int)(to - from), sector);
                Assert.Equal(0, extent.PayloadAt); // padded ranges begin in sectors of their own
                fixed (byte* page = memory, at = &disk[extent.Offset])
                    BlockFormat.EncodeExtent(geometry, Seal, page, extent, at);
                from = to;
            }

            Assert.Equal(whole[..(geometry.UsedBlocks * 512)], disk[..(geometry.UsedBlocks * 512)]);
        }
    }

    [Fact]
    public void Sector_alignment_ends_at_the_page()
    {
        var geometry = new BlockGeometry(12);
        Assert.Equal(0, geometry.AlignToSector(0, 512));
        Assert.Equal(504, geometry.AlignToSector(1, 512));
        Assert.Equal(504, geometry.AlignToSector(504, 512));
        Assert.Equal(4032, geometry.AlignToSector(1, 4096));
        Assert.Equal(4096, geometry.AlignToSector(4033, 512));
        Assert.Equal(4096, geometry.AlignToSector(4033, 4096));
        Assert.Equal(5 * 4096 + 4032, geometry.AlignToSector(5 * 4096 + 505, 4096));
    }

    [Fact]
    public void Blocks_that_fill_a_page_up_are_valid_zeros()
    {
        var geometry = new BlockGeometry(9);
        byte[] disk = EncodePages(geometry, pages: 2, out _);
        Assert.True(Decode(Seal, geometry.MapPage(1), disk[geometry.PageStride..], out byte[] payload, false, out _));
        Assert.True(payload.AsSpan(512).IndexOfAnyExcept((byte)0) < 0);
    }

    [Fact]
    public void Every_single_bit_flip_of_a_page_is_found_in_its_block()
    {
        var geometry = new BlockGeometry(9);
        byte[] disk = EncodePages(geometry, pages: 1, out _);
        BlockExtent page = geometry.MapPage(0);
        for (int bit = 0; bit < disk.Length * 8; bit++)
        {
            disk[bit / 8] ^= (byte)(1 << bit % 8);
            Assert.False(Decode(Seal, page, disk, out _, false, out long damaged));
            Assert.Equal(bit / 8 / 512, damaged);
            disk[bit / 8] ^= (byte)(1 << bit % 8);
        }

        Assert.True(Decode(Seal, page, disk, out _, false, out _));
    }

    [Fact]
    public void Swapped_blocks_are_found_even_of_equal_content()
    {
        byte[] disk = Encode(Seal, 0, new byte[504 * 64], 64);
        for (int a = 0; a < 64; a++)
        {
            for (int b = 0; b < 64; b++)
            {
                byte[] moved = disk.AsSpan(b * 512, 512).ToArray();
                fixed (byte* block = moved) Assert.Equal(a == b, BlockFormat.IsValid(Seal, a, block));
            }
        }
    }

    [Fact]
    public void Stale_foreign_and_missing_blocks_are_found()
    {
        byte[] block = Encode(Seal, 5, Bytes(504, seed: 2), 1);
        fixed (byte* at = block)
        {
            Assert.True(BlockFormat.IsValid(Seal, 5, at));
            Assert.False(BlockFormat.IsValid(Seal with { Incarnation = 4 }, 5, at));
            Assert.False(BlockFormat.IsValid(Seal with { Incarnation = 2 }, 5, at));
            Assert.False(BlockFormat.IsValid(Seal with { Identity = Seal.Identity ^ 1 }, 5, at));
            Assert.False(BlockFormat.IsValid(Seal, 5 + (1L << 32), at));
            // A trailer that merely claims the incarnation that is asked for.
            BitConverter.TryWriteBytes(block.AsSpan(508), 4u);
            Assert.False(BlockFormat.IsValid(Seal with { Incarnation = 4 }, 5, at));
        }

        fixed (byte* hole = new byte[512]) Assert.False(BlockFormat.IsValid(Seal, 5, hole));
        Assert.Throws<ArgumentOutOfRangeException>(() => Encode(new BlockIdentity(1, 0), 0, new byte[504], 1));
    }

    [Fact]
    public void Damage_outside_the_range_does_not_hinder_its_read()
    {
        var geometry = new BlockGeometry(14);
        byte[] disk = EncodePages(geometry, pages: 1, out byte[] memory);
        BlockExtent extent = geometry.Map(504 * 2 + 8, 504, 4096); // blocks 2 and 3 of the first sector
        Assert.Equal(new BlockExtent(Offset: 0, Length: 4096, FirstBlock: 2, BlockCount: 2, Skip: 8), extent);
        disk[512 * 1 + 9] ^= 1;
        disk[512 * 4 + 9] ^= 1;
        Assert.True(Decode(Seal, extent, disk[..4096], out byte[] payload, true, out _));
        Assert.Equal(memory[(504 * 2 + 8)..(504 * 3 + 8)], payload[8..512]);
        disk[512 * 3] ^= 1;
        Assert.False(Decode(Seal, extent, disk[..4096], out _, true, out long damaged));
        Assert.Equal(3, damaged);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 4097)]
    [InlineData(4095, 2)]
    public void Ranges_outside_one_page_are_refused(long address, int length) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockGeometry(12).Map(address, length, 512));

    [Theory]
    [InlineData(8)]
    [InlineData(30)]
    public void Absurd_pages_are_refused(int pageBits) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new BlockGeometry(pageBits));

    private static byte[] Bytes(int count, int seed)
    {
        var bytes = new byte[count];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static byte[] Encode(BlockIdentity seal, long firstBlock, byte[] payload, int blocks)
    {
        var disk = new byte[blocks * 512];
        fixed (byte* from = payload, to = disk)
            BlockFormat.Encode(seal, firstBlock, from, payload.Length, to, blocks);
        return disk;
    }

    private static byte[] EncodePages(BlockGeometry geometry, int pages, out byte[] memory)
    {
        memory = Bytes(pages * geometry.PageBytes, seed: geometry.PageBits);
        var disk = new byte[pages * geometry.PageStride];
        for (int p = 0; p < pages; p++)
        {
            BlockExtent extent = geometry.MapPage(p);
            fixed (byte* page = &memory[p * geometry.PageBytes], to = &disk[extent.Offset])
                BlockFormat.EncodeExtent(geometry, Seal, page, extent, to);
        }

        return disk;
    }

    private static bool Decode(
        BlockIdentity seal, BlockExtent extent, byte[] fetched, out byte[] payload, bool inPlace, out long damaged)
    {
        payload = inPlace ? [.. fetched] : new byte[extent.BlockCount * 504];
        fixed (byte* from = fetched, to = payload)
            return BlockFormat.TryDecodeExtent(seal, extent, inPlace ? to : from, to, out damaged);
    }
}
