using Faster.Contracts;
using Faster.Engines;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Log;
using Faster.Tests.Scheduling;
using static Faster.Tests.Operations.PlainOperations;

namespace Faster.Tests.Operations;

/// <summary>Blind updates that link records of words in quiet epochs.</summary>
public sealed class TailSpaceTests : IDisposable
{
    private const int PageBits = 16, Keys = 200, RecordSize = 32; // a key of five bytes takes two words

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData((int)CommitKind.FoldOver)]
    [InlineData((int)CommitKind.Snapshot)]
    public async Task After_a_commit_every_value_is_the_last_one(int kind)
    {
        await using FasterStore store = await Open();
        using FasterSession session = store.StartSession();
        for (int round = 0; round < 3; round++)
        {
            for (int key = 0; key < Keys; key++) Assert.Equal(Status.Ok, session.PutPlain(Key(key), key + round));
            for (int key = 0; key < Keys; key++) Assert.Equal(key + round, session.GetPlain(Key(key)));
            _ = await store.CommitAsync((CommitKind)kind);
        }
    }

    [Fact]
    public async Task Records_of_one_epoch_lie_side_by_side_and_leave_less_than_as_much_unused()
    {
        await using FasterStore store = await Open();
        using FasterSession session = store.StartSession();
        for (int key = 0; key < Keys; key++) _ = session.PutPlain(Key(key), key);
        _ = await store.CommitAsync(CommitKind.FoldOver);
        long before = store.Log.TailAddress;
        for (int key = 0; key < Keys; key++) _ = session.PutPlain(Key(key), -key);
        long used = store.Log.TailAddress - before;
        Assert.InRange(used, Keys * RecordSize, (2 * Keys * RecordSize) - 1);
        for (int key = 0; key < Keys; key++) _ = session.PutPlain(Key(key), key); // in place
        Assert.Equal(used, store.Log.TailAddress - before);
    }

    [Fact]
    public void Space_is_taken_for_more_and_more_records_up_to_a_limit()
    {
        using HybridLog log = NewLog();
        var space = new TailSpace(log);
        space.Begin(new AttemptVersion(), takesLatch: false);
        long last = 0, tail = log.TailAddress;
        for (int i = 0; i < 200; i++)
        {
            Assert.True(space.TryTake(24, out long address));
            Assert.True(address >= last + 24 || last == 0, "Two records overlap.");
            long taken = log.TailAddress - tail;
            Assert.InRange(taken, 0, TailSpace.MaxBytes);
            (last, tail) = (address, log.TailAddress);
        }

        Assert.False(space.TryTake(TailSpace.MaxBytes + 8, out _));
    }

    [Fact]
    public void Nothing_is_superseded_unread_where_that_takes_a_latch()
    {
        using HybridLog log = NewLog();
        var space = new TailSpace(log);
        _ = log.ShiftReadOnlyToTail();
        space.Begin(new AttemptVersion(), takesLatch: true);
        Assert.Equal(0, space.Below);
        space.Begin(new AttemptVersion(), takesLatch: false);
        Assert.Equal(log.SafeReadOnlyAddress, space.Below);
    }

    [Fact]
    public async Task Addresses_fall_along_the_chains_of_an_append_only_log() => Assert.True(await FallsAsync());

    [Fact]
    public async Task Linking_in_front_of_a_higher_record_is_found()
    {
        using IDisposable seeded = SeededProbe.Seed(SeededBug.LinkAboveSpace);
        Assert.False(await FallsAsync());
    }

    // Whether every record leads to a lower one, where new keys are appended beside keys that are updated.
    private async Task<bool> FallsAsync()
    {
        var options = new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), Allocator = RecordAllocatorKind.AppendOnly,
        };
        await using FasterStore store = await FasterStore.OpenAsync(
            _folder.Path, options, Schema, CancellationToken.None);
        using FasterSession session = store.StartSession();
        for (int number = 0; number < Keys; number++)
        {
            for (int key = Math.Max(number - 3, 0); key <= number; key++)
            {
                var upsert = new Upsert(number);
                _ = session.Upsert(new BytesKey(Key(key)), ref upsert);
            }
        }

        return Enumerable.Range(0, Keys).All(key => Falls(store, new BytesKey(Key(key)).Hash(store.Tier.Seed)));
    }

    private static unsafe bool Falls(FasterStore store, ulong hash)
    {
        Assert.True(store.Index.TryLocate(hash, out BucketRef bucket));
        _ = HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        for (long address = HashIndex.AddressOf(word), next; address != 0; address = next)
        {
            next = (long)(RecordHeader.Read(store.Log.Pointer(address)) & RecordHeader.AddressMask);
            if (next >= address) return false;
        }

        return true;
    }

    private static HybridLog NewLog()
    {
        var epochs = new EpochTable();
        var sink = new FakePageSink(atOnce: true);
        var shape = new LogShape(new RecordSchema(8, 8, 8, "", ""), default, PageBits, ResidentPages: 4, 0.5);
        var log = new HybridLog(epochs, sink, shape);
        sink.Attach(log);
        return log;
    }

    private static byte[] Key(int key) => [1, 2, 3, (byte)key, (byte)(key >> 8)];

    private async Task<FasterStore> Open() => await FasterStore.OpenAsync(
        _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, Schema, CancellationToken.None);
}
