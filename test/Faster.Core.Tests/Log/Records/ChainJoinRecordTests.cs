using Faster.Contracts;
using Faster.Devices;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>A chain-join record sends each hash to the chain that may have its key, and never to the other.</summary>
public sealed unsafe class ChainJoinRecordTests
{
    private const long Buckets = 3 << 10;
    private const long Left = 640, Right = 1280;

    [Theory]
    [InlineData(0)]
    [InlineData(17)]
    [InlineData((Buckets / 2) - 1)]
    public void A_hash_goes_where_its_bucket_of_the_larger_index_was(long bucket)
    {
        byte* record = stackalloc byte[ChainJoinRecord.Size];
        ulong header = Make(record, bucket);
        Assert.Equal(Left, ChainJoinRecord.Next(record, header, HashBits.HashOf(2 * bucket, Buckets, tag: 5)));
        Assert.Equal(Right, ChainJoinRecord.Next(record, header, HashBits.HashOf((2 * bucket) + 1, Buckets, tag: 5)));
    }

    [Fact]
    public void Its_own_hash_is_of_its_entry()
    {
        byte* record = stackalloc byte[ChainJoinRecord.Size];
        _ = Make(record, 17);
        ulong hash = new RecordLayout(PumpedLog.Schema).Hash(record, PumpedLog.Seed);
        Assert.Equal((17, 9u), (HashBits.BucketOf(hash, Buckets / 2), HashBits.TagOf(hash)));
    }

    [Fact]
    public void Its_size_does_not_depend_on_the_schema()
    {
        byte* record = stackalloc byte[ChainJoinRecord.Size];
        _ = Make(record, 17);
        RecordSchema[] schemas =
            [PumpedLog.Schema, new(8, 8, 8, "", ""), new(0, 0, 0, "", ""), new(64, 60, 200, "", "")];
        foreach (RecordSchema schema in schemas)
        {
            var layout = new RecordLayout(schema);
            Assert.Equal(ChainJoinRecord.Size, layout.RecordSize(record));
            Assert.Equal(ChainJoinRecord.Size, layout.TrySize(record, ChainJoinRecord.Size, 4096));
        }
    }

    [Fact]
    public void A_record_of_another_kind_leads_to_its_previous_one_whatever_the_hash()
    {
        byte* record = stackalloc byte[ChainJoinRecord.Size];
        ulong header = Make(record, 17) & ~RecordHeader.ChainJoin;
        Assert.Equal(Left, ChainJoinRecord.Next(record, header, HashBits.HashOf(35, Buckets, tag: 0)));
    }

    [Fact]
    public void A_walk_finds_a_key_behind_it_and_does_not_take_it_for_a_key()
    {
        using var log = new PumpedLog(new MemoryDevice());
        (long even, long odd) = KeysOf(bucket: 3);
        long left = log.Append(even, 8), right = log.Append(odd, 8);
        long merge = log.AppendMerge(left, right, bucket: 3, Buckets);
        long newest = log.Append(1_000_000, 8, merge);
        foreach ((long key, long expected) in new[] { (even, left), (odd, right), (1_000_000, newest) })
        {
            long address = newest;
            var wanted = new UnmanagedKey<long>(key);
            byte* found = log.Log.Find(wanted, wanted.Hash(PumpedLog.Seed), 64, ref address, out _);
            Assert.True(found != null);
            Assert.Equal(expected, address);
        }
    }

    [Fact]
    public void Growth_back_parts_the_chain_where_it_was_joined()
    {
        using var log = new PumpedLog(new MemoryDevice());
        (long even, long odd) = KeysOf(bucket: 3);
        long left = log.Append(even, 8), right = log.Append(odd, 8);
        long merge = log.AppendMerge(left, right, bucket: 3, Buckets);
        log.Log.Split(merge, new SplitRule(Buckets, 6), out long leftHead, out long rightHead);
        Assert.Equal((left, right), (leftHead, rightHead));

        long newer = log.Append(even, 8, merge);
        log.Log.Split(newer, new SplitRule(Buckets, 6), out leftHead, out rightHead);
        Assert.Equal((newer, right), (leftHead, rightHead));
    }

    [Fact]
    public void A_merge_of_a_larger_index_stays_shared_and_one_of_a_smaller_is_passed()
    {
        using var log = new PumpedLog(new MemoryDevice());
        (long even, long odd) = KeysOf(bucket: 3);
        long left = log.Append(even, 8), right = log.Append(odd, 8);
        long merge = log.AppendMerge(left, right, bucket: 3, Buckets);
        log.Log.Split(merge, new SplitRule(Buckets / 2, 2), out long leftHead, out long rightHead);
        Assert.Equal((merge, merge), (leftHead, rightHead));

        // The children of bucket 7 of the larger index have nothing of bucket 6.
        log.Log.Split(merge, new SplitRule(2 * Buckets, 14), out leftHead, out rightHead);
        Assert.True(leftHead != left && rightHead != left && (leftHead == right || rightHead == right));
    }

    private static ulong Make(byte* record, long bucket)
    {
        ulong header = RecordHeader.Make(Left, RecordHeader.ChainJoin);
        RecordHeader.Write(record, header);
        ChainJoinRecord.Write(record, Right, HashBits.HashOf(bucket, Buckets / 2, tag: 9), Buckets);
        return header;
    }

    // Keys of the two buckets that a bucket of half the size is made of.
    private static (long Even, long Odd) KeysOf(long bucket)
    {
        long even = -1, odd = -1;
        for (long key = 1; even < 0 || odd < 0; key++)
        {
            long at = HashBits.BucketOf(new UnmanagedKey<long>(key).Hash(PumpedLog.Seed), Buckets);
            if (at == 2 * bucket) even = key;
            if (at == (2 * bucket) + 1) odd = key;
        }

        return (even, odd);
    }
}
