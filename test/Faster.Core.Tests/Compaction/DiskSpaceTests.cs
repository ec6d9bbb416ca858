using Faster.Compaction;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Segments;
using Faster.Log;
using Faster.Tests.Devices;

namespace Faster.Tests.Compaction;

/// <summary>
/// The bytes that a log takes of its device: pages of 4 KiB, which take 8 KiB there, two to a
/// segment.
/// </summary>
public sealed class DiskSpaceTests : IDisposable
{
    private const int Page = 4096, Stride = 8192, Segment = 2 * Stride;

    private readonly TruncatedDevice _device = new();
    private readonly LogPins _pins = new();
    private readonly DiskSpace _space;

    public DiskSpaceTests() => _space = new DiskSpace(
        new LogStorage(_device, new BlockGeometry(12), new BlockIdentity(1, 1)), _pins, Segment);

    public void Dispose() => _device.Dispose();

    [Theory]
    [InlineData(-1, 0)]
    [InlineData(0, 0)]
    [InlineData(1, 512)]
    [InlineData(504, 512)]
    [InlineData(505, 1024)]
    [InlineData(Page, Stride)]
    [InlineData(Page + 1, Stride + 512)]
    [InlineData((3 * Page) + 1000, (3 * Stride) + 1024)]
    public void A_log_takes_whole_pages_and_of_the_last_one_what_is_used(long address, long bytes) =>
        Assert.Equal(bytes, _space.BytesUpTo(address));

    [Fact]
    public void Space_comes_back_by_whole_segments_once()
    {
        _space.Release(Page);
        Assert.Equal(4 * Stride, _space.BytesUpTo(4 * Page));
        _space.Release(3 * Page);
        Assert.Equal((4 * Stride) - Segment, _space.BytesUpTo(4 * Page));
        Assert.Equal(0, _space.BytesUpTo(Page));
        _space.Release(3 * Page);
        _space.Release(2 * Page);
        _space.Release(4 * Page);
        Assert.Equal([Stride, 3 * Stride, 4 * Stride], _device.Truncated);
        Assert.Equal(Stride, _space.BytesUpTo(5 * Page));
    }

    [Fact]
    public void Space_of_an_earlier_process_is_released_with_the_first_segment()
    {
        _space.HeldFrom(3 * Page);
        Assert.Equal(2 * Stride, _space.BytesUpTo(4 * Page));
        _space.Release(0);
        Assert.Equal([3L * Stride], _device.Truncated);
        Assert.Equal(2 * Stride, _space.BytesUpTo(4 * Page));
    }

    [Fact]
    public void The_page_behind_a_number_of_bytes_counts_from_the_space_that_is_held()
    {
        Assert.Equal([0, 1, 1, 2], new long[] { 0, 1, Stride, Stride + 1 }.Select(_space.PageAt));
        _space.Release(3 * Page);
        Assert.Equal([2, 3, 3, 4], new long[] { 0, 1, Stride, Stride + 1 }.Select(_space.PageAt));
    }

    [Fact]
    public void Space_that_is_released_with_its_segment_can_be_left_out()
    {
        _space.Release(3 * Page);
        Assert.Equal((2 * Stride, Stride), (_space.BytesUpTo(4 * Page), _space.HeldUpTo(4 * Page)));
        Assert.Equal((2, 3), (_space.PageAt(0), _space.PageHeldAt(0)));
        Assert.Equal(Stride + 512, _space.BytesBetween(3 * Page, (4 * Page) + 1));
        Assert.Equal(0, _space.HeldUpTo(Page));
    }

    [Fact]
    public void Space_that_only_readers_hold_stays_and_does_not_count()
    {
        LogPins.Pin low = _pins.Take(Page), high = _pins.Take(3 * Page);
        _space.Release(5 * Page);
        Assert.Equal((5 * Stride, Stride, 0), Sizes());
        low.Dispose();
        _space.Release(0);
        Assert.Equal((3 * Stride, Stride, 0), Sizes());
        high.Dispose();
        _space.Release(0);
        Assert.Equal((Stride, Stride, 0), Sizes());
        Assert.Equal([Stride, 3 * Stride, 5 * Stride], _device.Truncated);

        (long, long, long) Sizes() =>
            (_space.BytesUpTo(5 * Page), _space.NeededUpTo(5 * Page), _space.HeldUpTo(5 * Page));
    }

    [Fact]
    public void Space_that_could_not_be_released_is_tried_again()
    {
        _device.Fails = true;
        Assert.Throws<StorageException>(() => _space.Release(2 * Page));
        Assert.Equal((3 * Stride, 3 * Stride), (_space.BytesUpTo(3 * Page), _space.NeededUpTo(3 * Page)));
        _device.Fails = false;
        _space.Release(2 * Page);
        Assert.Equal(Stride, _space.BytesUpTo(3 * Page));
    }

    private sealed class TruncatedDevice() : PassingDevice(new MemoryDevice())
    {
        public List<long> Truncated { get; } = [];

        public bool Fails { get; set; }

        public override void TruncateBelow(long offset)
        {
            if (Fails) throw new StorageException("The file can't be deleted.");
            Truncated.Add(offset);
        }
    }
}
