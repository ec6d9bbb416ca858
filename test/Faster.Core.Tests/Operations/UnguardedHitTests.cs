using Faster.Contracts;
using Faster.Engines;
using Faster.Index;
using Faster.Log.Records;
using Faster.Tests.Faults;

namespace Faster.Tests.Operations;

/// <summary>
/// Hits that run no user code have no guard: what they meet in the log does not make them throw, and what the user has
/// brought along and may throw is called under one.
/// </summary>
public sealed class UnguardedHitTests
{
    private static readonly byte[] Key = "a key of some length"u8.ToArray();

    public static TheoryData<bool, string> Calls
    {
        get
        {
            var calls = new TheoryData<bool, string>();
            foreach (bool expires in new[] { false, true })
                foreach (string call in new[] { "read", "upsert", "update" }) calls.Add(expires, call);
            return calls;
        }
    }

    /// <summary>
    /// The length of a key and the right address of a chain-join record lie at the same place. Above 2 GiB that address
    /// is a negative length.
    /// </summary>
    [Theory, MemberData(nameof(Calls))]
    public Task A_merge_record_is_not_taken_for_a_key(bool expires, string call) => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open(TimeProvider.System);
        using FasterSession session = store.StartSession();
        using FasterSession other = store.StartSession();
        if (expires) session.TimeToLive = TimeSpan.FromHours(1);
        Assert.Equal(Status.Ok, session.PutPlain(Key, 1));
        Assert.Equal(1, session.GetPlain(Key)); // notes the epoch as quiet
        LinkMergeRecord(store, session, right: 0x8000_0040);

        long expected = call == "read" ? 1 : 8;
        if (call == "upsert") Assert.Equal(Status.Ok, session.PutPlain(Key, 8));
        if (call == "update") Assert.Equal(Status.Ok, session.AddPlain(Key, 7));
        Assert.Equal(expected, session.GetPlain(Key));
        Assert.Equal(expected, other.GetPlain(Key));
        await AssertIdle(store);
    });

    [Theory]
    [InlineData("read")]
    [InlineData("upsert")]
    [InlineData("update")]
    public Task A_clock_that_throws_leaves_no_epoch_behind(string call) => Guard.RunAsync(async () =>
    {
        var time = new FlakyTime();
        await using FasterStore store = await Open(time);
        using FasterSession session = store.StartSession();
        session.TimeToLive = TimeSpan.FromSeconds(1); // so short that each look is at the provider's own time
        Assert.Equal(Status.Ok, session.PutPlain(Key, 1));
        Assert.Equal(1, session.GetPlain(Key));

        time.ThrowsOn = Environment.CurrentManagedThreadId;
        Assert.Throws<InvalidOperationException>(() => call switch
        {
            "read" => session.GetPlain(Key),
            "upsert" => (long)session.PutPlain(Key, 8),
            _ => (long)session.AddPlain(Key, 7),
        });
        Assert.Equal(0, time.ThrowsOn);
        Assert.Equal(1, session.GetPlain(Key));
        Assert.Equal(Status.Ok, session.AddPlain(Key, 1));
        await AssertIdle(store);
    });

    private static async Task AssertIdle(FasterStore store)
    {
        await store.Epochs.SafeAsync();
        Assert.Null(store.Epochs.LongestHolder(out _));
    }

    // As a halving of the index does, where the key's chain becomes the left one.
    private static unsafe void LinkMergeRecord(FasterStore store, FasterSession session, long right)
    {
        ulong hash = new BytesKey(Key).Hash(store.Tier.Seed);
        long larger = 2;
        while ((HashBits.BucketOf(hash, larger) & 1) != 0) larger *= 2;
        var slot = session.Enter();
        Assert.True(store.Index.TryLocate(hash, out BucketRef bucket));
        ulong* entry = HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        Assert.True(store.Log.TryAllocate(null, ChainJoinRecord.Size, out long address));
        byte* record = store.Log.Pointer(address);
        ChainJoinRecord.Write(record, right, hash, larger);
        RecordHeader.Write(record, RecordHeader.Make(HashIndex.AddressOf(word), RecordHeader.ChainJoin));
        Assert.True(HashIndex.TryReplace(entry, word, address));
        store.Epochs.Leave(slot);
    }

    private static ValueTask<FasterStore> Open(TimeProvider time) => FasterStore.OpenAsync(
        null, new StoreOptions { MemoryBudget = ByteSize.MiB(1), TimeProvider = time }, PlainOperations.Schema,
        default);

    private sealed class FlakyTime : TimeProvider
    {
        public int ThrowsOn; // a thread, once; the store's own look at the time, too

        public override DateTimeOffset GetUtcNow()
        {
            if (ThrowsOn != Environment.CurrentManagedThreadId) return DateTimeOffset.UtcNow;
            ThrowsOn = 0;
            throw new InvalidOperationException("The clock is not available just now.");
        }
    }
}
