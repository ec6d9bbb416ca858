using Faster.Chains;
using Faster.Contracts;
using Faster.Engines;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Index.Resizing;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Tests.Compaction;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Outcome = Faster.Contracts.Outcome;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations;

/// <summary>What an attempt that does not succeed leaves behind: nothing.</summary>
public sealed class AttemptTests
{
    private const long Moment = 1L << 45; // in Unix milliseconds, far away

    [Fact]
    public async Task A_reservation_that_could_not_be_linked_is_no_record()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        RunUnderEpoch(session, LinkInFrontOfAStaleEntry);
        Assert.Equal(5, session.Get(1));
    }

    [Fact]
    public async Task An_attempt_that_throws_after_it_linked_under_latch_leaves_no_latch()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        session.Put(1, 5);
        RunUnderEpoch(session, LinkUnderLatchInPlaceOfALatchedRecord);
        session.AddTo(1, 1);
        Assert.Equal(8, session.Get(1));
    }

    [Fact]
    public async Task A_reservation_that_is_kept_gets_the_new_expiry()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        RunUnderEpoch(session, KeepWithAnotherExpiry);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_abandoned_attempt_holds_no_bucket_latch(bool isExclusive)
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null);
        using FasterSession session = store.StartSession();
        Attempt attempt = session.Attempt;
        attempt.SetVersion(version: 2, committing: 1, exclusive: true, mayCopy: true);
        Assert.True(isExclusive ? attempt.Bucket.TryEnterExclusive(7) : attempt.Bucket.TryEnterShared(7));
        Assert.False(store.Commits.Latches.TryEnterExclusive(7, 1));
        attempt.Abandon();
        Assert.True(store.Commits.Latches.TryEnterExclusive(7, 1));
        store.Commits.Latches.LeaveExclusive(7);
        attempt.SetVersion(version: 1, committing: 0, exclusive: false, mayCopy: true);
    }

    [Fact]
    public Task An_abandoned_attempt_holds_no_pin_on_a_chunk() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { ExpectedKeys = 0 }); // an index that can grow
        using FasterSession session = store.StartSession(), other = store.StartSession();
        session.Put(1, 5);
        Resize(store, session, other);
        Assert.Equal(5, session.Get(1));
    });

    private static unsafe void LinkInFrontOfAStaleEntry(Attempt attempt)
    {
        ulong hash = Key(1).Hash(attempt.Tier.Seed);
        Assert.Equal(Outcome.Ok, attempt.Locate<HashEntries>(hash, out EntryRef entry));
        Assert.Equal(Outcome.Ok, attempt.Entries<HashEntries>().Find(ref entry));
        var at = new ChainPosition { Entry = entry, Chain = entry.Address };
        at.Entry.Word ^= 8; // as if another operation had linked a record since
        Assert.True(attempt.Reservation.TryTake(Key(1), sizeof(long), sizeof(long), sizeof(long)));
        byte* record = attempt.Log.Pointer(attempt.Reservation.Address);
        Assert.Equal(Outcome.Retry, attempt.LinkReserved<HashEntries>(at));
        Assert.NotEqual(0ul, RecordHeader.Read(record) & RecordHeader.Invalid);
        Assert.NotEqual(0, attempt.Reservation.Address); // kept for the next turn
        attempt.Abandon();
        Assert.Equal(0, attempt.Reservation.Address);
        Assert.NotEqual(0ul, RecordHeader.Read(record) & RecordHeader.Invalid);
    }

    private static unsafe void LinkUnderLatchInPlaceOfALatchedRecord(Attempt attempt)
    {
        ulong hash = Key(1).Hash(attempt.Tier.Seed);
        var operation = new Upsert(7);
        scoped KeySearch<UnmanagedKey<long>, AtRest, HashEntries, Upsert> search = default;
        search.Prepare(attempt, Key(1), hash, ref operation, null);
        Assert.Equal(Outcome.Ok, search.Locate());
        Outcome found = search.FindMutable();
        ref ChainPosition at = ref search.At;
        Assert.Equal(Outcome.Ok, found);
        Assert.True(attempt.Reservation.TryTake(Key(1), sizeof(long), sizeof(long), sizeof(long)));
        byte* made = attempt.Log.Pointer(attempt.Reservation.Address);
        *(long*)(made + 16) = 7;
        Assert.Equal(Outcome.Ok, attempt.LinkReserved<HashEntries>(at, RecordHeader.Latch));
        Assert.Equal(RecordHeader.Sealed, RecordHeader.Read(at.Record) & (RecordHeader.Latch | RecordHeader.Sealed));
        Assert.NotEqual(0ul, RecordHeader.Read(made) & RecordHeader.Latch);
        attempt.Abandon();
        Assert.Equal(0ul, RecordHeader.Read(made) & RecordHeader.Latch);
    }

    private static unsafe void KeepWithAnotherExpiry(Attempt attempt)
    {
        Assert.False(attempt.Reservation.TryReuse(Moment)); // there is none
        Assert.True(attempt.Reservation.TryTake(Key(1), sizeof(long), sizeof(long), sizeof(long), Moment));
        byte* record = attempt.Log.Pointer(attempt.Reservation.Address);
        Assert.True(attempt.Reservation.TryReuse(Moment + 7));
        Assert.Equal(Moment + 7, attempt.Tier.Layout.Expiry(record));
        Assert.False(attempt.Reservation.TryReuse(RecordExpiry.Never)); // has no place for an expiry
        Assert.Equal(0, attempt.Reservation.Address);
    }

    // The other session keeps the resize in its first phase, in which operations pin.
    private static unsafe void Resize(FasterStore store, FasterSession session, FasterSession other)
    {
        EpochSlot* holder = other.Enter();
        Assert.True(store.Index.TryStart(ResizeKind.Split, store.Tier.Memory.Chains, static () => { }));
        RunUnderEpoch(session, attempt =>
        {
            ulong hash = Key(1).Hash(store.Tier.Seed);
            Assert.Equal(Outcome.Ok, attempt.Locate<HashEntries>(hash, out _));
            attempt.Abandon();
        });
        store.Epochs.Leave(holder);
        Assert.True(store.Index.DriveResize(session.Slot, static () => true));
    }

    private static unsafe void RunUnderEpoch(FasterSession session, Action<Attempt> run)
    {
        EpochSlot* slot = session.Enter();
        run(session.Attempt);
        session.Attempt.Abandon();
        session.Core.Epochs.Leave(slot);
    }
}
