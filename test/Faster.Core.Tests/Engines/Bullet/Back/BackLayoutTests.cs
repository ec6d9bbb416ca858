using Faster.Engines.Bullet.Back;
using Faster.Persistence;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>The bytes of docs/formats/back-region.md.</summary>
public sealed unsafe class BackLayoutTests
{
    [Fact]
    public void Offsets_are_those_of_the_format()
    {
        Assert.Equal((4096, 12288), (BackLayout.RootsAt, BackLayout.PartsAt));
        Assert.Equal((64, 384, 1024, 2048), (
            BackLayout.SegmentsAt, BackLayout.ClassesAt, BackLayout.BinsAt, BackLayout.PartBytes));
        Assert.Equal((80, 128, 40), (SizeClasses.Count, BackLayout.Bins, BackLayout.MaxSegments));
        Assert.Equal((24, 16, 64, 32), (
            RedoSlots.HeaderBytes, RedoSlots.ItemBytes, Span.HeaderBytes, BackEntry.HeaderBytes));
    }

    [Fact]
    public void An_entry_has_its_fields_where_the_format_says()
    {
        byte* bytes = stackalloc byte[64];
        new Span<byte>(bytes, 64).Fill(0xEE);
        BackEntry.Write(bytes, 0x1122, 5, 3, [7, 8, 9], [1, 2]);
        Assert.Equal(0xEEEE_EEEE_EEEE_EEEE, *(ulong*)bytes); // the next offset is not written
        Assert.Equal((0x1122UL, 5L), (*(ulong*)(bytes + 8), *(long*)(bytes + 16)));
        Assert.Equal((3, 3, 2), (*(ushort*)(bytes + 24), *(ushort*)(bytes + 26), *(int*)(bytes + 28)));
        Assert.Equal([7, 8, 9, 1, 2, 0, 0, 0], new Span<byte>(bytes + 32, 8).ToArray());
        Assert.Equal(0xEE, bytes[40]);
        var entry = new BackEntry(bytes);
        Assert.True(entry is { Hash: 0x1122, Counter: 5, PagesBack: 3, Bytes: 40, IsTombstone: false });
        BackEntry.WriteTombstone(bytes, 0x1122, 6, 3, [7, 8, 9], 99);
        entry = new BackEntry(bytes);
        Assert.True(entry is { Counter: 6, Round: 99, Bytes: 48, IsTombstone: true } && entry.Key.Length == 3);
    }

    [Fact]
    public void Parts_lie_behind_each_other_in_each_area()
    {
        var shape = new BackShape(4, 8192, WithRedo: true);
        long[] lengths = [BackLayout.PartsAt + (4 * 100 * 4096), 4096 * 450, 4096 * 461];
        for (int part = 0; part < 4; part++)
        {
            var space = new PartSpace(shape, part, lengths);
            Assert.Equal(BackLayout.PartsAt + (part * 100 * 4096), space.Page);
            Assert.Equal(space.Page + 4096, space.RedoAt);
            Assert.Equal(
                [(space.Page + (5 * 4096), space.Page + (100 * 4096)),
                    (lengths[0] + (part * 11 * 4096), lengths[0] + ((part + 1) * 11 * 4096)),
                    (lengths[1] + (part * 2 * 4096), lengths[1] + ((part + 1) * 2 * 4096))],
                space.Areas.ToArray());
            Assert.Equal(space.Areas[0].End, space.EndOf(space.RedoAt + 16384));
        }
    }

    [Fact]
    public void A_shape_has_up_to_sixteen_parts_and_a_redo_that_follows_the_capacity()
    {
        Assert.Equal(new BackShape(1, 4096, true), BackShape.For(100_000));
        Assert.Equal(new BackShape(2, 128 << 10, true), BackShape.For(8 << 20));
        Assert.Equal(new BackShape(4, 128 << 10, true), BackShape.For(31 << 20));
        Assert.Equal(new BackShape(16, 128 << 10, false), BackShape.For(1L << 30, withRedo: false));
        BackShape shape = BackShape.For(1L << 30);
        Assert.Equal([0, 7, 8, 15], new[] { 0UL, (1UL << 63) - 1, 1UL << 63, ulong.MaxValue }.Select(shape.PartOf));
    }

    [Fact]
    public void A_load_takes_longer_where_that_is_emulated()
    {
        using var region = new EmulatedRegion(4096, TimeSpan.Zero, TimeSpan.FromMilliseconds(2));
        long begin = System.Diagnostics.Stopwatch.GetTimestamp();
        region.Loads.Wait();
        Assert.True(System.Diagnostics.Stopwatch.GetElapsedTime(begin) >= TimeSpan.FromMilliseconds(2));
        Assert.True(EmulatedRegion.PaperLoadDelay > TimeSpan.Zero);
    }
}
