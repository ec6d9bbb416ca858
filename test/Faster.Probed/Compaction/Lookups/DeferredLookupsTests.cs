using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Log;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Tests.Devices;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Lookups;

/// <summary>Look-ups of a compaction that lead to the disk, put off and done in the order of addresses.</summary>
public sealed class DeferredLookupsTests
{
    private const long Keys = 5000;

    // A disk budget that is never reached, so that a compaction has memory for look-ups.
    private static readonly StoreOptions Options = GarbageStore.Small with
    {
        MemoryBudget = ByteSize.MiB(1), ExpectedKeys = 6 * Keys, DiskBudget = ByteSize.GiB(1), ReadCacheFraction = 0,
    };

    [Theory]
    [InlineData(1, true)]
    [InlineData(3, true)]
    [InlineData(1, false)]
    [InlineData(3, false)]
    public async Task Records_superseded_on_disk_are_found_by_few_reads(int threads, bool hasBudget)
    {
        var device = new WatchedReads(new MemoryDevice());
        StoreOptions options = Options with
        {
            MemoryBudget = ByteSize.MiB(threads), CompactionThreads = threads, Device = device,
            ExpectedKeys = (1 + (8 * threads)) * Keys, // an index that grew would give the log memory until it has
            DiskBudget = hasBudget ? Options.DiskBudget : default,
        };
        await using FasterStore store = await GarbageStore.OpenAsync(null, options);
        Assert.Equal(hasBudget, store.Core.MemoryPlan.LookupBytes > 0);
        Assert.Equal(!hasBudget, store.Core.MemoryPlan.LookupLoan > 0);
        using FasterSession session = store.StartSession();
        session.Fill(0, Keys);
        session.Fill(100_000, 100_000 + (threads * 4 * Keys)); // all of the first keys leave memory
        Assert.True(store.Statistics.HeadAddress > Keys * 24, "the first keys are in memory");
        long first = store.Statistics.TailAddress;
        for (long key = 0; key < Keys; key += 2) session.Put(key, -key);
        session.Fill(300_000, 300_000 + (threads * 4 * Keys));
        Assert.True(store.Statistics.HeadAddress > first);

        long reads = store.Statistics.DiskReads;
        PagedLog log = store.Tier.PagedLog!;
        int pages = log.ResidentPages, least = pages;
        device.Polled = () => least = Math.Min(least, log.ResidentPages);
        CompactionResult result = await store.CompactAsync(Keys * 24);
        device.Polled = null;
        Assert.Equal(hasBudget, least == pages); // where nothing is reserved, the log lends its memory
        Assert.Equal(pages, log.ResidentPages);
        Assert.InRange(result.RecordsExamined, (Keys * 98 / 100) - 200, Keys);
        Assert.InRange(result.RecordsCopied, result.RecordsExamined / 2, (result.RecordsExamined / 2) + 10);

        // Each page is read, and what is superseded lies in about as many pages; a look-up each would be 2,500 reads.
        Assert.InRange(store.Statistics.DiskReads - reads, 1, 500);
        for (long key = 0; key < Keys; key += 7) Assert.Equal(key % 2 == 0 ? -key : key * 3, session.Get(key));
    }

    [Fact]
    public async Task Another_key_of_a_chain_is_not_a_newer_record()
    {
        await using FasterStore store = await GarbageStore.OpenAsync(null, Options);
        using FasterSession session = store.StartSession();
        List<long> older = await CompactChainsOfTwoAsync(store, session);
        foreach (long key in older) Assert.Equal(key * 3, session.Get(key));
    }

    [Fact]
    public async Task Taking_any_record_of_a_chain_for_a_newer_one_is_found()
    {
        using IDisposable seeded = SeededProbe.Seed(SeededBug.LookupTrustsChain);
        await using FasterStore store = await GarbageStore.OpenAsync(null, Options);
        using FasterSession session = store.StartSession();
        List<long> older = await CompactChainsOfTwoAsync(store, session);
        Assert.Contains(older, key => session.Get(key) is null);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_damaged_newer_record_fails_the_compaction_and_nothing_is_lost(bool hasBudget)
    {
        var faults = new WatchedReads(new MemoryDevice());
        StoreOptions options = Options with
        {
            Device = faults, DiskBudget = hasBudget ? Options.DiskBudget : default,
        };
        await using FasterStore store = await GarbageStore.OpenAsync(null, options);
        using FasterSession session = store.StartSession();
        session.Fill(0, 1000);
        session.Fill(100_000, 100_000 + (4 * Keys));
        long newer = store.Statistics.TailAddress;
        session.Put(0, -1);
        session.Fill(300_000, 300_000 + (4 * Keys));
        faults.Damaged = store.Tier.Storage!.Geometry.Map(newer, 24, 512).Offset;
        long begin = store.Statistics.BeginAddress;
        PagedLog log = store.Tier.PagedLog!;
        int least = log.ResidentPages;
        faults.Polled = () => least = Math.Min(least, log.ResidentPages);
        await Assert.ThrowsAsync<DamagedDataException>(() => store.CompactAsync(1000 * 24));
        Assert.Equal(begin, store.Statistics.BeginAddress);
        Assert.True(hasBudget || log.ResidentPages > least, "the log did not get back what it had lent");
        faults.Damaged = -1;
        _ = await store.CompactAsync(1000 * 24);
        Assert.Equal(-1, session.Get(0));
        session.AssertFilled(1, 1000);
    }

    // The older keys of pairs that share a chain, after their records have been compacted: the newer keys of the pairs
    // are in front of them, on disk.
    private static async Task<List<long>> CompactChainsOfTwoAsync(FasterStore store, FasterSession session)
    {
        HashSeed seed = store.Tier.Seed;
        long buckets = store.Index.BucketCount;
        var seen = new Dictionary<(long, uint), long>();
        List<long> older = [], newer = [];
        for (long key = 1; older.Count < 50; key++)
        {
            ulong hash = KeyHash.Of((ulong)key, seed);
            if (seen.Remove((HashBits.BucketOf(hash, buckets), HashBits.TagOf(hash)), out long first))
            {
                older.Add(first);
                newer.Add(key);
            }
            else
            {
                seen.Add((HashBits.BucketOf(hash, buckets), HashBits.TagOf(hash)), key);
            }
        }

        const long Others = 1L << 40;
        foreach (long key in older) session.Put(key, key * 3);
        session.Fill(Others, Others + (4 * Keys));
        foreach (long key in newer) session.Put(key, key * 3);
        session.Fill(2 * Others, (2 * Others) + (4 * Keys));
        Assert.Equal(buckets, store.Index.BucketCount);
        CompactionResult result = await store.CompactAsync(Keys * 24);
        Assert.True(result.RecordsExamined > older.Count);
        return older;
    }

    // Damages, in memory, what is read of one block, and tells of each poll.
    private sealed unsafe class WatchedReads(Device inner) : PassingDevice(inner)
    {
        public long Damaged { get; set; } = -1;

        public Action? Polled { get; set; }

        public override int Poll(Span<IORequest> completed)
        {
            Polled?.Invoke();
            int count = base.Poll(completed);
            foreach (IORequest request in completed[..count])
            {
                long at = Damaged - request.Offset;
                if (request.Kind == IOKind.Read && at >= 0 && at < request.Length) request.Buffer[at + 100] ^= 1;
            }

            return count;
        }
    }
}
