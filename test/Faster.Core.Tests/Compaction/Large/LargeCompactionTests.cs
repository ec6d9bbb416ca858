using System.Buffers;
using Faster.Contracts;
using Faster.Engines;
using Faster.Operations.Large;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Compaction.Large;

/// <summary>Values in fragments copied to the tail, with a real store and real threads.</summary>
public sealed class LargeCompactionTests : IDisposable
{
    private const int Keys = 40, FewCompactions = 3;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(RecordAllocatorKind.Hybrid, 0, 1)]
    [InlineData(RecordAllocatorKind.Hybrid, 0.5, 3)]
    [InlineData(RecordAllocatorKind.AppendOnly, 0, 3)]
    public async Task Values_of_any_length_keep_their_bytes_wherever_the_part_ends(
        RecordAllocatorKind allocator, double cache, int threads)
    {
        await using FasterStore store = await OpenAsync(
            Options with { Allocator = allocator, ReadCacheFraction = cache, CompactionThreads = threads });
        using FasterSession session = store.StartSession();
        var random = new Random(11);
        var model = new Dictionary<int, byte[]>();
        for (int step = 0; step < TestBudget.Times(1200); step++)
        {
            int key = random.Next(Keys);
            byte[] value = Value((int)Math.Pow(50_000, random.NextDouble()), step);
            if (step % 9 == 0)
            {
                _ = session.RemoveBytes(key);
                model.Remove(key);
            }
            else session.PutBytes(key, model[key] = value);

            if (step % 20 != 0) continue;
            StoreStatistics now = store.Statistics;
            long until = now.BeginAddress + random.NextInt64(now.TailAddress - now.BeginAddress);
            CompactionResult result = await store.CompactAsync(until);
            Assert.InRange(result.BeginAddress, Math.Max(until - Page, 64), until);
            int other = random.Next(Keys);
            Assert.Equal(model.GetValueOrDefault(other), session.GetBytes(other));
        }

        for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.GetBytes(key));
        Assert.Null(store.Statistics.LastFault);
        Assert.Equal(long.MaxValue, store.Tier.PagedLog!.Pins.LowestPinned);
        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
    }

    [Fact]
    public async Task A_value_that_begins_in_the_part_and_whose_record_does_not_lie_in_it_moves()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] value = Value(3 << 20, 1); // three times the memory
        session.PutBytes(2, [1, 2, 3]);
        PutStaged(store, session, 1, value, HashOf(store, 1));
        session.PutBytes(3, [4, 5]);
        long tail = store.Log.TailAddress;
        CompactionResult result = await store.CompactAsync(2 * Page);
        Assert.Equal(2 * Page, result.BeginAddress);
        Assert.InRange(result.BytesCopied, value.Length, value.Length + 1000);
        Assert.Equal(2, result.RecordsCopied);
        Assert.True(store.Log.TailAddress - tail > value.Length);
        Assert.Equal(value, session.GetBytes(1));
        Assert.Equal([1, 2, 3], session.GetBytes(2)!);

        // What is left of it there is superseded.
        result = await store.CompactAsync(tail);
        Assert.InRange(result.RecordsCopied, 0, 1);
        Assert.InRange(result.BytesCopied, 0, 1000);
        Assert.Equal(value, session.GetBytes(1));
        Assert.Equal([4, 5], session.GetBytes(3)!);
    }

    [Fact]
    public async Task A_deleted_value_stays_deleted_though_its_record_is_still_mutable()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        session.PutBytes(1, Value(3 << 20, 1));
        session.PutBytes(2, Value(3 << 20, 2));
        _ = session.RemoveBytes(2);
        session.PutBytes(2, Value(9_000, 3));
        _ = session.RemoveBytes(2); // where it lies
        CompactionResult result = await store.CompactAsync(4 << 20);
        Assert.Equal(4 << 20, result.BeginAddress);
        Assert.Null(session.GetBytes(2));
        Assert.Equal(Value(3 << 20, 1), session.GetBytes(1));
        Assert.Equal(1, result.RecordsCopied);
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public async Task Compactions_and_commits_and_recoveries_by_turns(CommitKind kind)
    {
        var model = new Dictionary<int, byte[]>();
        var random = new Random((int)kind + 1);
        StoreOptions options = Options with { CommitKind = kind, MemoryBudget = ByteSize.MiB(4) };
        for (int life = 0; life < 4; life++)
        {
            await using FasterStore store = await OpenAsync(options, _folder.Path);
            using FasterSession session = store.StartSession("one");
            for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.GetBytes(key));
            for (int commit = 0; commit < 3; commit++)
            {
                long tail = store.Statistics.TailAddress;
                Task<CompactionResult> compaction = store.CompactAsync(random.NextInt64(tail / 2, tail));
                for (int i = 0; i < 40; i++) session.Change(model, Keys, random);
                Task<Commit> committed = store.CommitAsync(withIndex: commit == 1);
                _ = await compaction;
                _ = await committed;
            }

            _ = await store.CommitAsync();
            for (int i = 0; i < 40; i++) session.Change(new(model), Keys, random); // never committed
            _ = await store.CompactAsync(store.Statistics.TailAddress);
        }
    }

    [Fact]
    public async Task Readers_and_writers_beside_compactions_meet_whole_values_only()
    {
        const int Writers = 2;
        await using FasterStore store = await OpenAsync();
        using (FasterSession session = store.StartSession())
            for (int key = 0; key < Keys; key++) session.PutBytes(key, Telling(key, 0));
        Task[] threads =
        [
            .. Enumerable.Range(0, Writers).Select(number => Guard.RunAsync(() => Overwrite(store, number))),
            Task.Run(() => ReadAllAsync(store)),
        ];
        Task all = Task.WhenAll(threads);
        while (!all.IsCompleted)
        {
            StoreStatistics now = store.Statistics;
            _ = await store.CompactAsync(Math.Min(now.BeginAddress + (64 * Page), now.TailAddress));
        }

        await all;
        Assert.True(store.Statistics.Compactions > FewCompactions);
        using FasterSession reader = store.StartSession();
        for (int key = 0; key < Keys; key++) Check(key, reader.GetBytes(key));
        Assert.Null(store.Statistics.LastFault);
        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
    }

    private static void Overwrite(FasterStore store, int thread)
    {
        using FasterSession session = store.StartSession();
        var random = new Random(thread);
        for (int i = 1; i < TestBudget.Times(600) || store.Statistics.Compactions <= FewCompactions; i++)
        {
            int key = random.Next(Keys);
            session.PutBytes(key, Telling(key, (thread << 20) + i));
            Check(key, session.GetBytes(key));
        }
    }

    private static async Task ReadAllAsync(FasterStore store)
    {
        await using FasterSession session = store.StartSession();
        for (int i = 0; i < TestBudget.Times(1000); i++)
        {
            var written = new ArrayBufferWriter<byte>();
            Assert.NotNull(await session.ReadAsync(i % Keys, written));
            Check(i % Keys, written.WrittenSpan.ToArray());
        }
    }

    // Key and version tell every byte, and the length.
    private static byte[] Telling(int key, int version)
    {
        int length = 8 + (key * 7919 % 40_000 / (1 + (version % 5)));
        byte[] value = Value(length, (key * 31) + version);
        BitConverter.TryWriteBytes(value, key);
        BitConverter.TryWriteBytes(value.AsSpan(4), version);
        return value;
    }

    private static void Check(int key, byte[]? value)
    {
        Assert.NotNull(value);
        Assert.Equal(key, BitConverter.ToInt32(value));
        Assert.True(value.AsSpan().SequenceEqual(Telling(key, BitConverter.ToInt32(value, 4))), "A mixture.");
    }

    /// <summary>Puts a value in fragments with a given hash of its key.</summary>
    private static void PutStaged(FasterStore store, FasterSession session, int key, byte[] value, ulong hash)
    {
        var write = new LargeWrite(new ReadOnlySequence<byte>(value));
        write.Write(store.Tier, hash);
        session.PutPrepared(key, write);
    }

    private static ulong HashOf(FasterStore store, int key) =>
        new BytesKey(BitConverter.GetBytes(key)).Hash(store.Tier.Seed);
}
