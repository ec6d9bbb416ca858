using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;

namespace Faster.Tests.Index;

public sealed unsafe class HashIndexTests : IDisposable
{
    private readonly EpochTable _epochs = new();
    private readonly HashIndex _index;
    private readonly HashBucket* _bucket;

    public HashIndexTests()
    {
        _index = new HashIndex(_epochs, 10);
        Assert.True(_index.TryLocate(HashesOf.Bucket(3, 10, 0), out BucketRef bucket));
        _bucket = bucket.Bucket;
    }

    public void Dispose() => _index.Dispose();

    [Theory]
    [InlineData(0u)]
    [InlineData(1u)]
    [InlineData(0x3FFFu)]
    public void An_inserted_entry_is_found_replaced_and_removed(uint tag)
    {
        Assert.True(HashIndex.Find(_bucket, tag, out ulong word) == null);
        Assert.True(_index.TryInsert(_bucket, tag, 100));
        ulong* slot = HashIndex.Find(_bucket, tag, out word);
        Assert.Equal(100, HashIndex.AddressOf(word));

        Assert.True(HashIndex.TryReplace(slot, word, 200));
        Assert.False(HashIndex.TryReplace(slot, word, 300));
        Assert.True(HashIndex.Find(_bucket, tag, out ulong newer) == slot);
        Assert.Equal(200, HashIndex.AddressOf(newer));

        Assert.False(HashIndex.TryRemove(slot, word));
        Assert.True(HashIndex.TryRemove(slot, newer));
        Assert.True(HashIndex.Find(_bucket, tag, out _) == null);
        Assert.Equal(0UL, *slot);
    }

    [Fact]
    public void Tags_of_truncated_records_give_their_slots_to_others()
    {
        long begin = 0;
        using var index = new HashIndex(_epochs, 1, () => begin);
        Assert.True(index.TryLocate(0, out BucketRef bucket));
        for (uint tag = 0; tag < 7_000; tag++)
        {
            begin = tag - 6; // the six newest entries are alive, and those of the read cache
            Assert.True(index.TryInsert(bucket.Bucket, tag, tag + 1));
            if (tag != 3) continue;
            ulong* slot = HashIndex.Find(bucket.Bucket, tag, out ulong word);
            Assert.True(HashIndex.TryReplace(slot, word, EntryWord.OfCache(1)));
        }

        Assert.Equal(1, index.OverflowBuckets);
        Assert.True(HashIndex.Find(bucket.Bucket, 3, out _) != null);
        for (uint tag = 6_993; tag < 7_000; tag++)
            Assert.True(HashIndex.Find(bucket.Bucket, tag, out _) != null);
    }

    [Fact]
    public void A_second_insert_of_a_tag_is_refused()
    {
        Assert.True(_index.TryInsert(_bucket, 5, 100));
        Assert.False(_index.TryInsert(_bucket, 5, 200));
        HashIndex.Find(_bucket, 5, out ulong word);
        Assert.Equal(100, HashIndex.AddressOf(word));
    }

    [Fact]
    public void A_tentative_entry_is_not_found_and_does_not_hold_up_an_insert()
    {
        _bucket->Entries[2] = EntryWord.Of(5, 100) | EntryWord.Tentative;
        Assert.True(HashIndex.Find(_bucket, 5, out _) == null);
        Assert.True(_index.TryInsert(_bucket, 5, 200));
        Assert.Equal(0UL, _bucket->Entries[2]);
        Assert.True(HashIndex.Find(_bucket, 5, out _) == &_bucket->Entries[0]);
    }

    [Fact]
    public void Empty_slots_are_not_taken_for_entries_of_tag_0()
    {
        Assert.True(_index.TryInsert(_bucket, 1, 100));
        Assert.True(_index.TryInsert(_bucket, 0, 200));
        ulong* first = HashIndex.Find(_bucket, 1, out ulong word);
        Assert.True(HashIndex.TryRemove(first, word));
        Assert.True(HashIndex.Find(_bucket, 0, out word) == &_bucket->Entries[1]);
        Assert.Equal(200, HashIndex.AddressOf(word));
    }

    [Fact]
    public void Chains_lengthen_by_overflow_buckets_and_free_slots_are_used_again()
    {
        for (uint tag = 0; tag < 100; tag++) Assert.True(_index.TryInsert(_bucket, tag, tag + 1));
        Assert.Equal((100 - 1) / 7, _index.OverflowBuckets);
        for (uint tag = 0; tag < 100; tag += 2)
        {
            ulong* slot = HashIndex.Find(_bucket, tag, out ulong word);
            Assert.Equal(tag + 1, HashIndex.AddressOf(word));
            Assert.True(HashIndex.TryRemove(slot, word));
        }

        for (uint tag = 100; tag < 150; tag++) Assert.True(_index.TryInsert(_bucket, tag, tag + 1));
        Assert.Equal((100 - 1) / 7, _index.OverflowBuckets);
        for (uint tag = 0; tag < 150; tag++)
            Assert.Equal(tag >= 100 || tag % 2 == 1, HashIndex.Find(_bucket, tag, out _) != null);
    }

    [Fact]
    public void Linking_leaves_the_bits_of_the_latch_as_they_are()
    {
        _bucket->Overflow = 0x2BCDUL << 48;
        for (uint tag = 0; tag < 8; tag++) Assert.True(_index.TryInsert(_bucket, tag, 1));
        Assert.Equal(0x2BCDUL << 48, _bucket->Overflow & HashBucket.OverflowLatchMask);
        Assert.True(HashBucket.Next(_bucket) != null);
    }

    [Fact]
    public void Crowded_is_raised_once_and_bytes_count_the_overflow()
    {
        int raised = 0;
        long empty = _index.Bytes;
        _index.Crowded = () => raised++;
        for (uint tag = 0; tag < 21; tag++) _index.TryInsert(_bucket, tag, 1);
        Assert.False(_index.IsCrowded);
        Assert.Equal(0, raised);
        for (uint tag = 21; tag < 200; tag++) _index.TryInsert(_bucket, tag, 1);
        Assert.True(_index.IsCrowded);
        Assert.Equal(1, raised);
        Assert.True(_index.Bytes >= empty + (_index.OverflowBuckets * HashBucket.SizeInBytes));
    }

    [Fact]
    public void The_buckets_of_an_index_are_aligned_and_apart()
    {
        for (long b = 0; b < 10; b++)
        {
            Assert.True(_index.TryLocate(HashesOf.Bucket(b, 10, 7), out BucketRef bucket));
            Assert.Equal(b - 3, bucket.Bucket - _bucket);
            Assert.Equal(0, (nint)bucket.Bucket % HashBucket.SizeInBytes);
            _index.Prefetch(HashesOf.Bucket(b, 10, 7));
        }
    }

    [Fact]
    public void The_least_index_has_one_bucket()
    {
        using var index = new HashIndex(_epochs, 1);
        Assert.Equal(1, index.BucketCount);
        Assert.True(index.TryLocate(ulong.MaxValue, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => new HashIndex(_epochs, 0));
    }

    [Fact]
    public void At_the_limit_tags_share_the_entry_of_the_next_larger_tag()
    {
        _index.ByteLimit = 0;
        for (uint tag = 10; tag <= 70; tag += 10) Assert.True(_index.TryInsert(_bucket, tag, tag));
        Assert.Equal(0, _index.SharedTagBuckets);
        Assert.False(_index.TryInsert(_bucket, 80, 1));
        Assert.Equal(1, _index.SharedTagBuckets);
        Assert.Equal(0, _index.OverflowBuckets);
        uint[] tags = [0, 10, 11, 20, 69, 71, 0x3FFF];
        uint[] shared = [10, 10, 20, 20, 70, 10, 10];
        for (int i = 0; i < tags.Length; i++)
        {
            Assert.True(HashIndex.Find(_bucket, tags[i], out ulong word) != null);
            Assert.Equal(shared[i], HashIndex.AddressOf(word));
            Assert.False(_index.TryInsert(_bucket, tags[i], 1));
        }
    }

    [Fact]
    public void A_frozen_bucket_that_loses_its_entries_takes_one_that_all_tags_share()
    {
        _index.ByteLimit = 0;
        for (uint tag = 1; tag <= 7; tag++) Assert.True(_index.TryInsert(_bucket, tag, tag));
        Assert.False(_index.TryInsert(_bucket, 8, 8));
        for (uint tag = 1; tag <= 7; tag++)
        {
            ulong* slot = HashIndex.Find(_bucket, tag, out ulong word);
            Assert.Equal(tag, HashIndex.AddressOf(word));
            Assert.True(HashIndex.TryRemove(slot, word));
        }

        Assert.True(HashIndex.Find(_bucket, 3, out _) == null);
        Assert.True(_index.TryInsert(_bucket, 9, 100));
        Assert.False(_index.TryInsert(_bucket, 3, 200));
        HashIndex.Find(_bucket, 3, out ulong only);
        Assert.Equal(100, HashIndex.AddressOf(only));
        Assert.Equal(1, _index.SharedTagBuckets);
    }

    [Fact]
    public void Growth_beyond_the_limit_is_refused_and_can_begin_later()
    {
        using var store = new FakeStore(bucketCount: 1000);
        store.Index.ByteLimit = store.Index.BytesTo(ResizeKind.Split) - 1;
        Assert.False(store.TryStart(ResizeKind.Split));
        Assert.False(store.Index.IsResizing);
        store.Index.ByteLimit++;
        Assert.True(store.TryStart(ResizeKind.Split));
        Assert.True(store.Index.Bytes <= store.Index.ByteLimit);
    }
}
