using Faster.Conformance.Contract;
using Faster.Conformance.Engines.FasterStore;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Tests;

/// <summary>
/// A store without latches (StoreConcurrency.User) under real threads: updates in place by the user's atomics, together
/// with copies by the store where a record may not be updated in place, lose nothing.
/// </summary>
public sealed class UsersOwnConcurrency
{
    private const int Threads = 4, Keys = 5, Adds = 4_000, FillersEach = 4;

    public static TheoryData<RecordAllocatorKind> Allocators =>
        [RecordAllocatorKind.Hybrid, RecordAllocatorKind.AppendOnly, RecordAllocatorKind.InMemory];

    [Theory]
    [MemberData(nameof(Allocators))]
    public async Task Nothing_is_lost(RecordAllocatorKind allocator) =>
        Assert.Equal(Threads * TestBudget.Times(Adds), await AddAsync(allocator, input: 1));

    [Fact]
    public async Task Updates_that_are_not_atomic_are_lost_so_no_latch_is_taken() =>
        Assert.NotEqual(
            Threads * TestBudget.Times(Adds),
            await AddAsync(RecordAllocatorKind.Hybrid, input: 1 | LooseCounters.InTwoSteps));

    private static async Task<long> AddAsync(RecordAllocatorKind allocator, long input)
    {
        var options = new StoreOptions
        {
            Allocator = allocator, MemoryBudget = ByteSize.MiB(16), ExpectedKeys = 1_000,
        };
        if (allocator != RecordAllocatorKind.InMemory)
        {
            options = options with
            {
                MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), ReadCacheFraction = 0,
            };
        }

        if (allocator == RecordAllocatorKind.Hybrid) options = options with { MutableFraction = 0.05 };
        await using LooseCounters.Store store = await LooseCounters.OpenAsync(null, options);
        await Task.Run(() => Workers.Run(Threads, worker =>
        {
            using LooseCounters.Session session = store.StartSession();
            Interleaving.Seed(worker + 1);
            for (int i = 0; i < TestBudget.Times(Adds); i++)
            {
                if (session.Rmw(i % Keys, input) == Status.Pending) session.CompletePending(wait: true);

                // Fillers turn pages, so that records become read-only.
                long filler = (1_000_000_000L * (worker + 1)) + (i * FillersEach);
                session.Upsert([filler, filler + 1, filler + 2, filler + 3], new long[FillersEach]);
            }

            Interleaving.Seed(0);
        }));
        using LooseCounters.Session reader = store.StartSession();
        long sum = 0;
        for (long key = 0; key < Keys; key++) sum += (await reader.ReadAsync(key)).Value;
        return sum;
    }
}
