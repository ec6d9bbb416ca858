using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Tests.Log;

/// <summary>Which incarnation wrote each part of a log, and which of its records are discarded.</summary>
public sealed class LogStorageTests : IDisposable
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
}
