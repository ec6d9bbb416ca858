using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Persistence;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Persistence;

/// <summary>What holds for every region: what was flushed and fenced is there when it is opened again.</summary>
public sealed unsafe class RegionTests : IDisposable
{
    private const int Length = 1 << 20, SegmentBytes = 64 << 10;

    private readonly TemporaryFolder _folder = new(onDisk: true);
    private readonly MemoryDevice _device = new();

    public enum Kind
    {
        MappedFile,
        Device,
        Segments,
        Emulated,
    }

    [Theory]
    [InlineData(Kind.MappedFile)]
    [InlineData(Kind.Device)]
    [InlineData(Kind.Segments)]
    [InlineData(Kind.Emulated)]
    public void Fenced_bytes_are_there_when_it_is_opened_again(Kind kind)
    {
        Random random = TestSeed.NewRandom();
        byte[] expected = new byte[Length];
        using Reopened reopened = new(this, kind);
        PersistentRegion region = reopened.Region;
        Assert.Equal(0, (long)region.Pointer % Environment.SystemPageSize);
        Assert.Equal(Length, region.Length);
        Assert.True(new ReadOnlySpan<byte>(region.Pointer, Length).SequenceEqual(expected));
        for (int round = 0; round < 20; round++)
        {
            for (int i = random.Next(600); i >= 0; i--)
            {
                int at = random.Next(Length), count = random.Next(Math.Min(Length - at, 5000));
                random.NextBytes(expected.AsSpan(at, count));
                expected.AsSpan(at, count).CopyTo(new Span<byte>(region.Pointer + at, count));
                region.Flush(at, count);
            }

            region.Fence();
        }

        region.Fence();
        Assert.True(new ReadOnlySpan<byte>(reopened.Open().Pointer, Length).SequenceEqual(expected));
    }

    [Theory]
    [InlineData(Kind.MappedFile)]
    [InlineData(Kind.Device)]
    [InlineData(Kind.Segments)]
    [InlineData(Kind.Emulated)]
    public void A_range_outside_of_the_region_is_refused(Kind kind)
    {
        using Reopened reopened = new(this, kind);
        PersistentRegion region = reopened.Region;
        region.Flush(Length, 0);
        region.Flush(Length - 1, 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => region.Flush(-1, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => region.Flush(0, -1));
        Assert.Throws<ArgumentOutOfRangeException>(() => region.Flush(Length - 1, 2));
        Assert.Throws<ArgumentOutOfRangeException>(() => region.Flush(long.MaxValue, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => region.Flush(1, long.MaxValue));
    }

    [Fact]
    public void An_emulated_fence_takes_its_time()
    {
        using var region = new EmulatedRegion(4096, TimeSpan.FromMilliseconds(2));
        long begin = System.Diagnostics.Stopwatch.GetTimestamp();
        region.Fence();
        Assert.True(System.Diagnostics.Stopwatch.GetElapsedTime(begin) >= TimeSpan.FromMilliseconds(2));
        Assert.True(EmulatedRegion.PaperFenceDelay > TimeSpan.Zero);
    }

    [Fact]
    public void A_device_that_holds_less_than_the_region_is_damaged()
    {
        using (DeviceRegion.Create(new FaultDevice(_device, ownsInner: false), Length)) { }
        using var device = new FaultDevice(_device, ownsInner: false);
        Assert.Throws<DamagedDataException>(() => DeviceRegion.Open(device, 2 * Length));
        Assert.Throws<ArgumentOutOfRangeException>(() => DeviceRegion.Open(device, 100));
    }

    [Fact]
    public void A_device_that_fails_fails_every_later_fence()
    {
        using var faulty = new FaultDevice(_device, ownsInner: false);
        using DeviceRegion region = DeviceRegion.Create(faulty, Length);
        foreach (FaultTarget target in new[] { FaultTarget.Write, FaultTarget.Sync })
        {
            using DeviceRegion opened = DeviceRegion.Open(faulty, Length);
            opened.Flush(0, 1);
            faulty.Arm(new FaultPlan { Faults = [new Fault(target, 1)] });
            Assert.False(Assert.Throws<StorageException>(opened.Fence).MayRetry);
            FaultCounters counters = faulty.Counters;
            var later = Assert.Throws<StorageException>(opened.Fence);
            Assert.Contains("earlier fence failed", later.Message, StringComparison.Ordinal);
            Assert.Equal(counters, faulty.Counters);
        }
    }

    [Theory]
    [InlineData(FaultFlavor.InputOutputError, false)]
    [InlineData(FaultFlavor.ShortTransfer, true)]
    public void An_injected_fault_fails_its_fence_and_all_later_ones(FaultFlavor flavor, bool isDurable)
    {
        var inner = DeviceRegion.Create(new FaultDevice(_device, ownsInner: false), Length);
        var plan = new FaultPlan { Faults = [new Fault(FaultTarget.Sync, 2, flavor)] };
        using (var region = new FaultRegion(inner, plan))
        {
            Store(region, 0, 1);
            region.Fence();
            Store(region, 4096, 2);
            Assert.Throws<StorageException>(region.Fence);
            Assert.Throws<StorageException>(region.Fence);
            Assert.Equal((3, 1, 1), (region.Counters.Syncs, region.Counters.Faults,
                region.Counters.SyncsAfterFailure));
        }

        using DeviceRegion again = DeviceRegion.Open(new FaultDevice(_device, ownsInner: false), Length);
        Assert.Equal(1, again.Pointer[0]);
        Assert.Equal(isDurable ? 2 : 0, again.Pointer[4096]);
    }

    public void Dispose()
    {
        _device.Dispose();
        _folder.Dispose();
    }

    private static void Store(PersistentRegion region, int at, byte value)
    {
        region.Pointer[at] = value;
        region.Flush(at, 1);
    }

    /// <summary>A region that is closed and opened again.</summary>
    private sealed class Reopened : IDisposable
    {
        private readonly RegionTests _test;
        private readonly Kind _kind;
        private readonly FolderFiles? _files;

        public Reopened(RegionTests test, Kind kind)
        {
            _test = test;
            _kind = kind;
            _files = kind is Kind.MappedFile or Kind.Segments ? FolderFiles.OpenFolder(test._folder.Path) : null;
            Region = kind switch
            {
                Kind.MappedFile => MappedFileRegion.Create(_files!, "region", Length),
                Kind.Device => DeviceRegion.Create(
                    new FaultDevice(test._device, ownsInner: false), Length),
                Kind.Segments => DeviceRegion.Create(OpenLog(), Length),
                _ => new EmulatedRegion(Length, TimeSpan.Zero),
            };
        }

        public PersistentRegion Region { get; private set; }

        public PersistentRegion Open()
        {
            byte[]? image = (Region as EmulatedRegion)?.Image();
            Region.Dispose();
            return Region = _kind switch
            {
                Kind.MappedFile => MappedFileRegion.Open(_files!, "region", Length),
                Kind.Device => DeviceRegion.Open(
                    new FaultDevice(_test._device, ownsInner: false), Length),
                Kind.Segments => DeviceRegion.Open(OpenLog(), Length),
                _ => new EmulatedRegion(image, TimeSpan.Zero),
            };
        }

        private Device OpenLog() => _files!.OpenLog(StoreFileNames.MainLog, SegmentBytes, unbuffered: true);

        public void Dispose()
        {
            Region.Dispose();
            _files?.Dispose();
        }
    }
}
