using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Records;
using Faster.Memory;
using Faster.Tests.Engines;

namespace Faster.Tests.Compaction.Lookups;

/// <summary>Reads in the order of addresses visit each record once, with its bytes, however little memory they have.
/// </summary>
public sealed class SortedReadsTests
{
    private const long Keys = 40_000;
    private const int RecordBytes = 24;

    [Theory]
    [InlineData(SortedReads.MinBytes, 1)]
    [InlineData(SortedReads.MinBytes, 100)]
    [InlineData(100_000, 10)]
    [InlineData(100_000, 1000)]
    [InlineData(SortedReads.MaxBytes, 1)]
    [InlineData(SortedReads.MaxBytes, 1000)]
    public async Task Each_record_is_visited_once_with_its_bytes(int bytes, int step)
    {
        StoreOptions options = GarbageStore.Small with { ExpectedKeys = Keys };
        await using FasterStore store = await GarbageStore.OpenAsync(null, options);
        using FasterSession session = store.StartSession();
        var addresses = new List<long>();
        var keys = new List<long>();
        var random = new Random(bytes + step);
        for (long key = 0, next = 0; key < Keys; key++)
        {
            session.Put(key, key * 3);
            if (key < next) continue;
            addresses.Add(store.Statistics.TailAddress - RecordBytes);
            keys.Add(key);
            next = key + random.Next(1, 2 * step);
        }

        int count = addresses.FindIndex(address => address >= store.Statistics.HeadAddress);
        Assert.InRange(count, 5, Keys);
        List<long> found = Read(store.Tier.Storage!, bytes, addresses[..count]);
        Assert.Equal(keys[..count], found);
    }

    private static unsafe List<long> Read(LogStorage storage, int bytes, List<long> addresses)
    {
        using var memory = new NativeBlock(bytes);
        var reads = new SortedReads(storage, memory.Pointer, bytes);
        var visitor = new Visitor(addresses);
        reads.Run(addresses.Count, ref visitor);
        reads.Run(addresses.Count, ref visitor); // the memory can be used again
        Assert.Equal(visitor.Found[..addresses.Count], visitor.Found[addresses.Count..]);
        return visitor.Found[..addresses.Count];
    }

    private readonly unsafe struct Visitor(List<long> addresses) : ISortedVisitor
    {
        public List<long> Found { get; } = [];

        public (long Address, int Length) RangeOf(int index) => (addresses[index], RecordHeader.Size + sizeof(long));

        public void Visit(int index, byte* bytes)
        {
            Assert.Equal(index, Found.Count % addresses.Count);
            Assert.True(bytes != null);
            Found.Add(*(long*)(bytes + RecordHeader.Size));
        }
    }
}
