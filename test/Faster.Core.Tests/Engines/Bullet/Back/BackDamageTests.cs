using System.Runtime.CompilerServices;
using Faster.Engines.Bullet.Back;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>Flipped bits of what has a checksum, and what the check of the whole table finds.</summary>
public sealed unsafe class BackDamageTests
{
    private const int Bytes = 1 << 20, UsedOfHeader = 64;

    private static readonly BackRoot _root = new(7, 3, [new LogMark(4096, 17), new LogMark(1L << 40, 18)]);

    [Fact]
    public void The_root_is_there_when_it_is_opened_again()
    {
        using BackTable table = TestBack.Open(Region(MakeImage()), TestBack.Small);
        AssertIsRoot(table.Root);
        table.WriteRoot(_root with { Round = 8 });
        Assert.Equal(8, table.Root.Round);
    }

    [Fact]
    public void Every_flipped_bit_of_the_header_is_reported()
    {
        byte[] image = MakeImage();
        for (int bit = 0; bit < UsedOfHeader * 8; bit++) AssertDamaged(Flipped(image, 0, bit));
        AssertDamaged(Flipped(image, BackLayout.PageBytes - 1, 0));
        Array.Clear(image, 0, BackLayout.PageBytes);
        AssertDamaged(image); // not made again: it has parts
    }

    [Fact]
    public void A_flipped_bit_of_one_copy_of_the_root_loses_nothing()
    {
        byte[] image = MakeImage();
        for (int bit = 0; bit < 100 * 8; bit++)
        {
            for (int copy = 0; copy < 2; copy++)
            {
                int at = BackLayout.RootsAt + (copy * BackLayout.PageBytes);
                using BackTable table = TestBack.Open(Region(Flipped(image, at, bit)), TestBack.Small);
                AssertIsRoot(table.Root);
            }
        }

        AssertDamaged(Flipped(Flipped(image, BackLayout.RootsAt, 9), BackLayout.RootsAt + BackLayout.PageBytes, 9));
    }

    [Fact]
    public void Every_flipped_bit_of_the_last_redo_is_reported()
    {
        byte[] image = MakeImage();
        var space = new PartSpace(TestBack.Small, 0, [Bytes]);
        long sequence = BitConverter.ToInt64(image, (int)space.Page + BackLayout.SequenceAt);
        Assert.True(sequence > 2);
        int slot = (int)(space.RedoAt + ((sequence & 1) * TestBack.Small.RedoBytes));
        int items = BitConverter.ToInt32(image, slot + 8) + BitConverter.ToInt32(image, slot + 12);
        for (int bit = 0; bit < (RedoSlots.HeaderBytes + (items * RedoSlots.ItemBytes)) * 8; bit++)
            AssertDamaged(Flipped(image, slot, bit));
    }

    [Fact]
    public void A_block_that_the_last_batch_has_written_is_under_its_checksum()
    {
        byte[] image = MakeImage();
        var space = new PartSpace(TestBack.Small, 0, [Bytes]);
        long sequence = BitConverter.ToInt64(image, (int)space.Page + BackLayout.SequenceAt);
        int slot = (int)(space.RedoAt + ((sequence & 1) * TestBack.Small.RedoBytes));
        int words = BitConverter.ToInt32(image, slot + 8);
        Assert.True(BitConverter.ToInt32(image, slot + 12) > 0);
        long block = BitConverter.ToInt64(image, slot + RedoSlots.HeaderBytes + (words * RedoSlots.ItemBytes));
        AssertDamaged(Flipped(image, (int)block + BackEntry.ContentAt, 100));
    }

    [Fact]
    public void A_region_that_was_cut_is_reported() => AssertDamaged(MakeImage()[..^BackLayout.PageBytes]);

    [Fact]
    public void Words_that_lead_outside_of_the_region_are_reported_by_every_reader()
    {
        byte[] image = MakeImage();
        var space = new PartSpace(TestBack.Small, 0, [Bytes]);
        using BackTable table = TestBack.Open(Region(image, out EmulatedRegion region), TestBack.Small);
        for (long value = 1; value != 0; value <<= 1)
        {
            *(long*)(region.Pointer + space.Page + BackLayout.SegmentsAt) = value | (1L << 40);
            Assert.Throws<DamagedDataException>(table.Verify);
            Assert.Throws<DamagedDataException>(() => ReadAll(table));
        }
    }

    [Fact]
    public void A_bucket_whose_entries_form_a_circle_ends_a_scan()
    {
        var space = new PartSpace(TestBack.Small, 0, [Bytes]);
        using BackTable table = TestBack.Open(Region(MakeImage(), out EmulatedRegion region), TestBack.Small);
        long segment = *(long*)(region.Pointer + space.Page + BackLayout.SegmentsAt);
        for (int bucket = 0; bucket < BackLayout.FirstBuckets; bucket++)
        {
            long entry = *(long*)(region.Pointer + segment + (bucket * sizeof(long)));
            if (entry != 0) *(long*)(region.Pointer + entry + BackEntry.NextAt) = entry;
        }

        BackScan scan = table.Scan();
        Assert.Throws<DamagedDataException>(() =>
        {
            while (scan.MoveNext()) { }
        });
    }

    [Fact]
    public void The_check_finds_words_of_a_part_that_are_changed() => TestSeed.Run(3, seed =>
    {
        var random = new Random(seed);
        byte[] image = MakeImage();
        var space = new PartSpace(TestBack.Small, 0, [Bytes]);
        using (BackTable table = TestBack.Open(Region(image), TestBack.Small)) table.Verify();
        int found = 0, tried = 0;
        for (int at = (int)space.Page + BackLayout.AreasAt; at < space.Page + BackLayout.PartBytes; at += 8)
        {
            if (BitConverter.ToInt64(image, at) == 0) continue;
            tried++;
            using BackTable table = TestBack.Open(Region(image, out EmulatedRegion region), TestBack.Small);
            *(long*)(region.Pointer + at) ^= 1L << random.Next(63);
            found += Finds(table) ? 1 : 0;
        }

        Assert.InRange(tried, 10, 100);
        Assert.Equal(tried, found);
    });

    private static bool Finds(BackTable table)
    {
        try
        {
            table.Verify();
            return false;
        }
        catch (DamagedDataException)
        {
            return true;
        }
    }

    private static void ReadAll(BackTable table)
    {
        var read = new BackValue();
        for (int key = 0; key < 50; key++) _ = table.TryRead(TestBack.HashOf(key), TestBack.KeyOf(key), read);
    }

    private static byte[] MakeImage()
    {
        using var back = new TestBack(Bytes, TestBack.Small);
        back.Table.WriteRoot(_root);
        for (int i = 0; i < 5; i++)
        {
            for (int key = 0; key < 50; key++) back.Put((key, new byte[10 * key]));
        }

        return new ReadOnlySpan<byte>(back.Bytes, Bytes).ToArray();
    }

    private static EmulatedRegion Region(byte[] image) => Region(image, out _);

    private static EmulatedRegion Region(byte[] image, out EmulatedRegion region) =>
        region = new EmulatedRegion(image, TimeSpan.Zero);

    private static byte[] Flipped(byte[] image, int at, int bit)
    {
        byte[] flipped = [.. image];
        flipped[at + (bit / 8)] ^= (byte)(1 << (bit % 8));
        return flipped;
    }

    private static void AssertDamaged(byte[] image, [CallerArgumentExpression(nameof(image))] string what = "")
    {
        using EmulatedRegion region = Region(image);
        var error = Assert.Throws<DamagedDataException>(() => TestBack.Open(region, TestBack.Small));
        Assert.True(error.Path == region.Name && error.Offset >= 0, what);
    }

    private static void AssertIsRoot(BackRoot root)
    {
        Assert.Equal((_root.Round, _root.Life), (root.Round, root.Life));
        Assert.Equal(_root.Heads, root.Heads);
    }
}
