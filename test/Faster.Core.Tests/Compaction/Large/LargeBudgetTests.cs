using System.Buffers;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Compaction.Large;

/// <summary>Small and large values under one disk budget, and what memory it takes to move a large one.</summary>
[Collection("Alone")]
public sealed class LargeBudgetTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_log_stays_within_its_budget_under_churn_of_small_and_large_values(bool onFiles)
    {
        const int Keys = 300;
        const long Budget = 4 << 20;
        await using FasterStore store = await OpenAsync(
            Options with { DiskBudget = new ByteSize(Budget) }, onFiles ? _folder.Path : null);
        using FasterSession session = store.StartSession();
        var random = new Random(1);
        var model = new Dictionary<int, (int Length, int Seed)>();
        long most = 0, written = 0, live = 0, mostLive = 0;
        for (int i = 0; written < TestBudget.Times(onFiles ? 12 : 24) << 20; i++)
        {
            int key = random.Next(Keys), length = key % 10 == 0 ? random.Next(5_000, 60_000) : random.Next(600);
            session.PutBytes(key, Value(length, i));
            live += length - (model.TryGetValue(key, out (int Length, int Seed) old) ? old.Length : 0);
            mostLive = Math.Max(mostLive, live);
            model[key] = (length, i);
            written += length;
            if (i % 100 != 0) continue;
            most = Math.Max(most, onFiles ? GarbageStore.LogBytes(_folder.Path) : store.Statistics.DiskBytes);
            int other = model.Keys.ElementAt(random.Next(model.Count));
            Assert.Equal(Value(model[other].Length, model[other].Seed), session.GetBytes(other));
        }

        // A page of 4 KiB takes 8 KiB on the device. Live data fit up to 21/32 of the budget, however slow the writer.
        Assert.InRange(mostLive * 2, Budget / 2, Budget / 32 * 20);
        StoreStatistics now = store.Statistics;
        Assert.True(now.LastFault is null, now.LastFault?.ToString());
        Assert.False(now.DiskBudgetExceeded);
        Assert.True(now.Compactions > 5);
        Assert.True(most <= Budget + (Budget / 4), $"The log took {most} bytes; {now.Compactions} compactions.");
        foreach ((int key, (int length, int seed)) in model) Assert.Equal(Value(length, seed), session.GetBytes(key));
    }

    [Fact]
    public async Task A_value_far_larger_than_the_memory_moves_piece_by_piece()
    {
        StoreOptions options = Options with { MemoryBudget = ByteSize.MiB(4), PageSize = ByteSize.KiB(64) };
        var files = new WatchedWrites(new SegmentedFileDevice(_folder.Path, options.SegmentSize.Bytes));
        await using FasterStore store = await OpenAsync(options with { Device = files }, _folder.Path);
        using FasterSession session = store.StartSession();
        byte[] value = Value(64 << 20, 3);
        Assert.Equal(Status.Ok, await session.PutAsync(1, new ReadOnlySequence<byte>(value)));
        long allocated = GC.GetTotalAllocatedBytes(precise: true), resident = Environment.WorkingSet, most = 0;
        files.OnWrite = () => most = Math.Max(most, Environment.WorkingSet);
        CompactionResult result = await store.CompactAsync(1 << 20); // its end begins there, its record does not
        files.OnWrite = null;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        Assert.InRange(result.BytesCopied, value.Length, value.Length + 1000);
        Assert.True(allocated < 16 << 20, $"{allocated} bytes were allocated.");
        Assert.True(most > 0, "Nothing was written.");
        Assert.True(most - resident < 16 << 20, $"The process has grown by {most - resident} bytes.");
        Assert.True(store.Log.BytesInMemory <= ByteSize.MiB(4).Bytes);
        Assert.True(value.AsSpan().SequenceEqual(session.GetBytes(1)));
    }

    private sealed class WatchedWrites(Device inner) : PassingDevice(inner)
    {
        private readonly Lock _lock = new();

        public Action? OnWrite { get; set; }

        public override void Submit(ReadOnlySpan<IORequest> requests)
        {
            base.Submit(requests);
            lock (_lock) OnWrite?.Invoke();
        }
    }
}
