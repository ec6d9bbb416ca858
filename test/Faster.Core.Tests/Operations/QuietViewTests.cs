using Faster.Contracts;
using Faster.Engines;
using Faster.Index;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations;

/// <summary>What a session's view in a quiet epoch takes for a record, and what it does not.</summary>
public sealed unsafe class QuietViewTests
{
    private const long Key = 1;

    [Fact]
    public void A_hash_finds_its_record_and_one_with_another_tag_none()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out ulong hash);
        QuietView* view = QuietView.Of(session.Slot);
        foreach (bool updates in new[] { false, true })
        {
            Assert.True(view->TryFind(hash, updates, out byte* record, out long address));
            Assert.Equal((nint)store.Tier.Log.Pointer(address), (nint)record);
            Assert.Equal(Key, *(long*)(record + RecordHeader.Size));
            for (int bit = 64 - HashBits.TagBits; bit < 64; bit++)
                Assert.False(view->TryFind(hash ^ (1UL << bit), updates, out _, out _));
        }
    }

    [Fact]
    public void A_view_computes_the_hash_that_the_key_computes()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out _);
        QuietView* view = QuietView.Of(session.Slot);
        foreach (long key in new[] { 0, 1, -1, long.MinValue, 0x0123_4567_89AB_CDEF })
        {
            Assert.Equal(new UnmanagedKey<long>(key).Hash(store.Tier.Seed), view->HashOf(new UnmanagedKey<long>(key)));
            var small = new UnmanagedKey<byte>((byte)key);
            Assert.Equal(small.Hash(store.Tier.Seed), view->HashOf(small));
            var pair = new UnmanagedKey<(long, long)>((key, 3));
            Assert.Equal(pair.Hash(store.Tier.Seed), view->HashOf(pair));
        }
    }

    [Fact]
    public void A_hash_whose_entry_is_in_the_second_bucket_is_found_there_alone()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out _);
        long keys = store.Tier.Index.BucketCount * 5; // so few that the index does not grow
        for (long key = 2; key <= keys; key++) session.Put(key, key * 3);
        Assert.Equal(keys * 3, session.Get(keys));
        QuietView* view = QuietView.Of(session.Slot);
        int found = 0;
        for (long key = keys; key > keys - 500; key--) // still in memory
        {
            ulong hash = new UnmanagedKey<long>(key).Hash(store.Tier.Seed);
            if (!view->TryFindNext(hash, updates: false, out byte* record, out long address)) continue;
            if (view->TryFind(hash, updates: false, out _, out _)) continue; // another key with its tag
            Assert.Equal((nint)store.Tier.Log.Pointer(address), (nint)record);
            if (*(long*)(record + RecordHeader.Size) != key) continue;
            found++;
            long serial = session.SerialNumber;
            Assert.Equal(key * 3, session.Get(key));
            session.Put(key, key);
            session.AddTo(key, 1);
            Assert.Equal(key + 1, session.Get(key));
            Assert.Equal(serial + 4, session.SerialNumber);
            Assert.Equal(0, session.Slot->Epoch);
        }

        Assert.True(found > 0, "No key's entry is in a second bucket.");
    }

    [Theory]
    [InlineData(EntryWord.Tentative)]
    [InlineData(EntryWord.ReadCache)]
    public void An_entry_that_is_not_final_or_leads_to_the_read_cache_leads_to_no_record(ulong flag)
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out ulong hash);
        Assert.True(store.Tier.Index.TryLocate(hash, out BucketRef bucket));
        ulong* slot = BucketChain.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        *slot = word | flag;
        Assert.Equal(0, QuietView.Of(session.Slot)->FindFirst(hash));
        *slot = word;
        Assert.NotEqual(0, QuietView.Of(session.Slot)->FindFirst(hash));
    }

    [Fact]
    public void A_hash_is_absent_unless_some_final_entry_has_its_tag()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out ulong hash);
        QuietView* view = QuietView.Of(session.Slot);
        Assert.True(store.Tier.Index.TryLocate(hash, out BucketRef bucket));
        ulong* slot = BucketChain.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        Assert.False(view->IsAbsent(hash));
        Assert.True(view->IsAbsent(hash ^ (1UL << 63)));

        *slot = word | EntryWord.ReadCache;
        Assert.False(view->IsAbsent(hash));
        *slot = word | EntryWord.Tentative;
        Assert.True(view->IsAbsent(hash));

        // The bucket is full of others' entries, and the chain goes on.
        var second = new HashBucket();
        second.Entries[HashBucket.EntryCount - 1] = word;
        *slot = 0;
        ulong before = bucket.Bucket->Overflow;
        bucket.Bucket->Overflow = before | (ulong)&second;
        Assert.False(view->IsAbsent(hash));
        second.Entries[HashBucket.EntryCount - 1] = 0;
        Assert.True(view->IsAbsent(hash));
        bucket.Bucket->Overflow = before;
        *slot = word;
    }

    /// <summary>A reader of an absent key counts it, as every operation, and leaves its epoch.</summary>
    [Fact]
    public void An_absent_key_is_read_in_the_quiet_epoch()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out _);
        long before = session.SerialNumber, quiet = session.Slot->Quiet;
        Assert.NotEqual(0, quiet);
        for (long key = 100; key < 110; key++) Assert.Null(session.Get(key));
        Assert.Equal(before + 10, session.SerialNumber);
        Assert.Equal((0, quiet), (session.Slot->Epoch, session.Slot->Quiet));
    }

    /// <summary>A bump ends the quiet epoch, and with it what the view knows of the markers.</summary>
    [Fact]
    public void The_markers_are_those_of_the_quiet_epoch()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out ulong hash);
        QuietView* view = QuietView.Of(session.Slot);
        ((PagedLog)store.Tier.Log).ShiftReadOnlyToTail();
        Assert.NotEqual(store.Core.Epochs.Current, session.Slot->Quiet);
        Assert.True(view->TryFind(hash, updates: true, out _, out _));

        Assert.Equal(5, session.Get(Key));
        Assert.Equal(store.Core.Epochs.Current, session.Slot->Quiet);
        Assert.True(view->TryFind(hash, updates: false, out _, out long address));
        Assert.False(view->TryFind(hash, updates: true, out _, out _));
        Assert.False(view->MayUpdate(address));
    }

    [Fact]
    public void A_session_with_a_time_to_live_tries_records_that_expire_first()
    {
        using FasterStore store = Open();
        using FasterSession session = Quiet(store, out ulong hash);
        using FasterSession other = store.StartSession();
        other.TimeToLive = TimeSpan.FromHours(1);
        Assert.Equal(5, session.Get(Key));
        QuietView* view = QuietView.Of(session.Slot);
        Assert.True(view->TryFind(hash, updates: true, out byte* record, out _));
        Assert.True(view->IsUpdatable(record, new UnmanagedKey<long>(Key), partly: false));
        Assert.Equal((view->Slot.Quiet, view->Slot.Quiet), (view->ReadQuiet, view->UpdateQuiet));
        Assert.True(view->HasExpiring);

        session.TimeToLive = TimeSpan.FromHours(1);
        Assert.Equal(5, session.Get(Key));
        Assert.Equal((0, 0), (view->ReadQuiet, view->UpdateQuiet));
        Assert.True(view->HasExpiring);
    }

    // Pointers and awaits do not go together.
    private static FasterStore Open() => GarbageStore.OpenAsync(null).GetAwaiter().GetResult();

    private static FasterSession Quiet(FasterStore store, out ulong hash)
    {
        FasterSession session = store.StartSession();
        session.Put(Key, 5);
        Assert.Equal(5, session.Get(Key)); // notes the epoch as quiet
        hash = new UnmanagedKey<long>(Key).Hash(store.Tier.Seed);
        return session;
    }
}
