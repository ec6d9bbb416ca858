using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;

namespace Faster.Tests.Index.Resizing;

/// <summary>Shrinking, one thread stepping through it.</summary>
public sealed unsafe class IndexShrinkTests : IDisposable
{
    private readonly FakeStore _store = new(bucketCount: 96, capacity: 8192) { FailsEvery = 7 };
    private readonly FakeSession _session, _driver;
    private readonly ulong[] _keys;

    public IndexShrinkTests()
    {
        _session = new FakeSession(_store);
        _driver = new FakeSession(_store);
        var random = new Random(3);
        // Few tags, so that most are on both sides of a pair.
        _keys = [.. Enumerable.Range(0, 1000)
            .Select(_ => (ulong)random.NextInt64(1L << 50) | ((ulong)random.Next(40) << 50))];
        foreach (ulong key in _keys) Assert.True(_session.Add(key));
    }

    public void Dispose()
    {
        _session.Dispose();
        _driver.Dispose();
        _store.Dispose();
    }

    [Fact]
    public void A_driver_alone_halves_the_index_until_its_buckets_are_odd_and_nothing_is_lost()
    {
        foreach (long count in new[] { 48, 24, 12, 6, 3 })
        {
            _driver.Resize(ResizeKind.Join);
            Assert.Equal(count, _store.Index.BucketCount);
            Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
        }

        Assert.False(_store.TryStart(ResizeKind.Join));
        Assert.Equal(5, _store.ShrinksFinished);
        _driver.Resize(ResizeKind.Split);
        Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
    }

    [Fact]
    public void Operations_alone_end_a_shrink()
    {
        Assert.True(_store.TryStart(ResizeKind.Join));
        foreach (ulong key in _keys) Assert.True(_session.Contains(key));
        _store.Epochs.Drain();
        Assert.Equal((48, 1), (_store.Index.BucketCount, _store.ShrinksFinished));
        Assert.Equal(_keys.Order(), _store.CheckWhole().Order());
    }

    [Fact]
    public void The_memory_of_the_larger_table_is_given_back()
    {
        using var large = new FakeStore(bucketCount: 1 << 14);
        using var driver = new FakeSession(large);
        long before = large.Index.Bytes;
        driver.Resize(ResizeKind.Join);
        Assert.True(large.Index.Bytes <= before / 2, $"{before} bytes became {large.Index.Bytes}.");
    }

    [Fact]
    public void Buckets_that_a_merge_needs_are_reserved()
    {
        _store.Index.ByteLimit = _store.Index.BytesTo(ResizeKind.Join) - 1;
        Assert.False(_store.TryStart(ResizeKind.Join));
        Assert.False(_store.Index.IsResizing);
        _store.Index.ByteLimit++;
        while (_store.Index.BucketCount > 12)
        {
            _store.Index.ByteLimit = _store.Index.BytesTo(ResizeKind.Join);
            Assert.True(_store.TryStart(ResizeKind.Join));
            Assert.True(_store.Index.Bytes <= _store.Index.ByteLimit);
            _driver.Drive();
        }
    }

    [Fact]
    public void An_index_with_frozen_chains_is_not_halved()
    {
        using var full = new FakeStore(bucketCount: 4) { Index = { ByteLimit = 0 } };
        using var session = new FakeSession(full);
        for (uint tag = 0; tag < 8; tag++) Assert.True(session.Add(HashesOf.Bucket(1, 4, tag)));
        full.Index.ByteLimit = long.MaxValue;
        Assert.Equal(1, full.Index.SharedTagBuckets);
        Assert.False(full.TryStart(ResizeKind.Join));
        Assert.False(full.Index.IsResizing);
    }

    [Fact]
    public void A_full_bucket_that_will_be_merged_gets_memory_beyond_the_limit()
    {
        using var store = new FakeStore(bucketCount: 4);
        using FakeSession session = new(store), early = new(store);
        for (uint tag = 0; tag < 7; tag++) session.Add(HashesOf.Bucket(1, 4, tag));
        EpochSlot* slot = store.Epochs.Acquire("who has seen the phase before");
        store.Epochs.Enter(slot);
        Assert.True(store.TryStart(ResizeKind.Join));
        store.Index.ByteLimit = 0;
        for (uint tag = 7; tag < 100; tag++) session.Add(HashesOf.Bucket(1, 4, tag));
        Assert.Equal(0, store.Index.SharedTagBuckets);
        store.Epochs.Leave(slot);
        early.Drive();
        Assert.Equal(100, store.CheckWhole().Count);
        store.Epochs.Release(slot);
    }

    [Fact]
    public void The_most_buckets_are_remembered_while_they_are_watched()
    {
        _driver.Resize(ResizeKind.Join);
        _store.Index.WatchBucketCount();
        Assert.Equal(48, _store.Index.MaxBuckets);
        _driver.Resize(ResizeKind.Split);
        _driver.Resize(ResizeKind.Join);
        Assert.Equal(96, _store.Index.MaxBuckets);
        Assert.True(_store.TryStart(ResizeKind.Join));
        _store.Index.WatchBucketCount();
        Assert.Equal(48, _store.Index.MaxBuckets); // until all of it has been joined
        _driver.Drive();
    }

    [Theory]
    [InlineData(64)]
    [InlineData(5000)]
    public void A_sample_tells_how_full_a_table_is(int buckets)
    {
        using var store = new FakeStore(buckets, capacity: 40_000);
        using var session = new FakeSession(store);
        var random = new Random(4);
        for (int i = 0; i < 7 * buckets; i++)
        {
            if (i == 7 * buckets / 6) Assert.InRange(IndexFill.Of(store.Index.State.Table, 0), 0.13, 0.2);
            session.Add((ulong)random.NextInt64());
        }

        Assert.InRange(IndexFill.Of(store.Index.State.Table, 0), 0.9, 1.1);
        Assert.InRange(IndexFill.Of(store.Index.State.Table, begin: 7 * buckets / 2), 0.45, 0.55);
    }
}
