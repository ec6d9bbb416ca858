using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Tests.Log;

/// <summary>Which incarnation wrote each part of a log, and which of its records are discarded.</summary>
public sealed unsafe class LogStorageTests : IDisposable
{
    private const byte Version = 7;

    private readonly MemoryDevice _device = new();
    private readonly LogStorage _storage;

    public LogStorageTests() =>
        _storage = new LogStorage(_device, new BlockGeometry(12), new BlockIdentity(PumpedLog.Identity, 1));

    public void Dispose() => _device.Dispose();

    [Fact]
    public void Each_address_is_of_the_incarnation_that_wrote_it()
    {
        Assert.Equal((1u, 0), (_storage.IdentityOf(123).Incarnation, _storage.OwnFrom));
        (long From, uint Number)[] ranges = [(0, 1), (4096, 2), (8192, 5), (12_288, 6), (16_384, 9)];
        _storage.Restore([.. ranges.Select(range => new Incarnation(range.From, range.Number))], []);
        Assert.Equal(16_384, _storage.OwnFrom);
        for (int i = 0; i < ranges.Length; i++)
        {
            Assert.Equal(ranges[i].Number, _storage.IdentityOf(ranges[i].From).Incarnation);
            Assert.Equal(ranges[i].Number, _storage.IdentityOf(ranges[i].From + 4095).Incarnation);
        }
    }

    [Fact]
    public void Incarnations_without_a_beginning_or_out_of_order_are_refused()
    {
        Incarnation[][] wrong =
        [
            [], [new(512, 1)], [new(0, 1), new(0, 2)], [new(0, 1), new(512, 2), new(256, 3)],
        ];
        Assert.All(wrong, list => Assert.Throws<ArgumentException>(() => _storage.Restore(list, [])));
        Assert.Equal([new Incarnation(0, 1)], _storage.Incarnations);
    }

    [Fact]
    public void Records_of_a_version_in_a_range_are_stepped_over()
    {
        _storage.Restore(
            _storage.Incarnations, [new DiscardedRange(100, 200, Version), new DiscardedRange(300, 400, Version + 1)]);
        ulong header = (ulong)Version << RecordHeader.VersionShift, other = header + (1UL << RecordHeader.VersionShift);
        Assert.Equal(
            [false, true, true, false, false],
            new long[] { 92, 100, 192, 200, 300 }.Select(address => _storage.IsDiscarded(address, header)));
        Assert.Equal(
            [false, true, true, false],
            new long[] { 100, 300, 392, 400 }.Select(address => _storage.IsDiscarded(address, other)));
        Assert.True(_storage.IsDiscarded(0, header | RecordHeader.Invalid));
        Assert.False(_storage.IsDiscarded(100, header | RecordHeader.ChainJoin)); // of no version
    }

    [Fact]
    public void A_range_is_copied_and_nothing_beside_it()
    {
        BlockGeometry geometry = _storage.Geometry;
        _storage.Restore([new Incarnation(0, 1), new Incarnation(504 * 3, 4)], []);
        byte[] page = new byte[geometry.PageBytes], disk = new byte[geometry.PageStride];
        new Random(1).NextBytes(page);
        fixed (byte* memory = page, blocks = disk)
        {
            Encode(memory, blocks, 0, 3, 1);
            Encode(memory, blocks, 3, geometry.BlocksPerPage - 3, 4);
            var random = new Random(2);
            for (int i = 0; i < 500; i++)
            {
                int from = random.Next(4) == 0 ? 504 * random.Next(9) : random.Next(geometry.PageBytes);
                int length = random.Next(4) == 0
                    ? geometry.PageBytes - from
                    : random.Next(1, geometry.PageBytes - from + 1);
                BlockExtent extent = geometry.Map(from, length, 512 << random.Next(4));
                byte[] read = disk[(int)extent.Offset..(int)(extent.Offset + extent.Length)];
                byte[] copy = new byte[length + 16];
                Array.Fill(copy, (byte)0xAA);
                fixed (byte* buffer = read, destination = copy)
                    _storage.DecodeTo(extent, buffer, destination + 8, length);
                Assert.Equal(page[from..(from + length)], copy[8..^8]);
                Assert.Equal(-1, copy.AsSpan(0, 8).IndexOfAnyExcept((byte)0xAA));
                Assert.Equal(-1, copy.AsSpan(length + 8).IndexOfAnyExcept((byte)0xAA));
                read = disk[(int)extent.Offset..(int)(extent.Offset + extent.Length)];
                read[extent.BlocksAt + random.Next(extent.BlockCount * 512)] ^= 1;
                fixed (byte* buffer = read, destination = copy) AssertDamaged(extent, buffer, destination + 8, length);
            }
        }

        void Encode(byte* memory, byte* blocks, int first, int count, uint incarnation) => BlockFormat.Encode(
            new BlockIdentity(PumpedLog.Identity, incarnation), first, memory + (504 * first),
            Math.Min(504 * count, geometry.PageBytes - (504 * first)), blocks + (512 * first), count);
    }

    private void AssertDamaged(BlockExtent extent, byte* buffer, byte* destination, int length)
    {
        DamagedDataException? error = null;
        try
        {
            _storage.DecodeTo(extent, buffer, destination, length);
        }
        catch (DamagedDataException e)
        {
            error = e;
        }

        Assert.NotNull(error);
    }
}
