using Faster.Devices;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>Chains of a paged log, when the index has twice or half as many buckets.</summary>
public sealed unsafe class LogChainsTests : IDisposable
{
    private const ulong AnyHash = 77;

    private readonly MemoryDevice _device = new();
    private readonly PumpedLog _log;

    public LogChainsTests() => _log = new PumpedLog(_device);

    public void Dispose()
    {
        _log.Dispose();
        _device.Dispose();
    }

    [Fact]
    public void Two_chains_are_joined_by_a_record_that_leads_to_both()
    {
        long left = _log.Append(1, 8), right = _log.Append(2, 8), tail = _log.Log.TailAddress;
        Assert.True(_log.Log.TryJoin(left, right, AnyHash, largerBucketCount: 8, out long head));
        byte* record = _log.Log.Pointer(head);
        ulong header = RecordHeader.Read(record);
        Assert.True(ChainJoinRecord.Is(header));
        Assert.Equal((tail, left, right), (head, RecordHeader.Previous(header), ChainJoinRecord.Right(record)));
        Assert.Equal((AnyHash, 8), (ChainJoinRecord.Hash(record), ChainJoinRecord.BucketCount(record)));
    }

    [Fact]
    public void A_chain_alone_is_joined_as_it_is()
    {
        long left = _log.Append(1, 8), right = _log.Append(2, 8);
        AssertJoined(0, 0, 0);
        AssertJoined(left, 0, left);
        AssertJoined(0, right, right);
        AssertJoined(left, left, left);
        long above = FillPage();
        GiveUpFirstPage();
        AssertJoined(left, above, above);
        AssertJoined(above, right, above);
        AssertJoined(left, right, 0);

        void AssertJoined(long one, long other, long expected)
        {
            long tail = _log.Log.TailAddress;
            Assert.True(_log.Log.TryJoin(one, other, AnyHash, largerBucketCount: 8, out long head));
            Assert.Equal((expected, tail), (head, _log.Log.TailAddress));
        }
    }

    [Fact]
    public void Without_space_no_chains_are_joined()
    {
        long left = _log.Append(1, 8), right = _log.Append(2, 8);
        while (_log.TryAppend(3, 8) != 0) { }
        Assert.False(_log.Log.TryJoin(left, right, AnyHash, largerBucketCount: 8, out _));
    }

    [Fact]
    public void A_joined_chain_is_parted_into_the_two_that_it_was_made_of()
    {
        long left = _log.Append(1, 8), right = _log.Append(2, 8);
        long merge = _log.AppendMerge(left, right, bucket: 1, bucketCount: 8);
        _log.Log.Split(merge, new SplitRule(8, LeftBucket: 2), out long one, out long other);
        Assert.Equal((left, right), (one, other));
    }

    [Fact]
    public void A_side_that_was_truncated_is_empty_whatever_the_other_one_has()
    {
        long left = _log.Append(1, 8), right = FillPage();
        long merge = _log.AppendMerge(left, right, bucket: 1, bucketCount: 8);
        long mirrored = _log.AppendMerge(right, left, bucket: 1, bucketCount: 8);
        GiveUpFirstPage();
        _log.Log.Split(merge, new SplitRule(8, LeftBucket: 2), out long one, out long other);
        Assert.Equal((0, right), (one, other));
        _log.Log.Split(mirrored, new SplitRule(8, LeftBucket: 2), out one, out other);
        Assert.Equal((right, 0), (one, other));
    }

    [Fact]
    public void Records_that_were_joined_in_a_larger_index_stay_with_both_chains()
    {
        long left = _log.Append(1, 8), right = _log.Append(2, 8);
        long merge = _log.AppendMerge(left, right, bucket: 1, bucketCount: 16);
        _log.Log.Split(merge, new SplitRule(8, LeftBucket: 0), out long one, out long other);
        Assert.Equal((merge, merge), (one, other));
    }

    // The first record of the second page.
    private long FillPage()
    {
        long address;
        do address = _log.Append(4, 8);
        while (address < 1 << PumpedLog.PageBits);
        return address;
    }

    private void GiveUpFirstPage()
    {
        _log.FlushAll();
        Assert.True(_log.Log.RaiseBegin(1 << PumpedLog.PageBits));
    }
}
