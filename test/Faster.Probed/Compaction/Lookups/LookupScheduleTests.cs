using Faster.Compaction.Copying;
using Faster.Compaction.Lookups;
using Faster.Contracts;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Probes;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction.Lookups;

/// <summary>
/// A compaction that puts its look-ups off, by the copier that ships, beside operations, under controlled schedules:
/// what is changed between the look at the chain and the read is neither lost nor brought back.
/// </summary>
public sealed class LookupScheduleTests
{
    private const long Until = 1 << 12; // the end of the first page

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(100), PreemptionBound = 3 };

    public static TheoryData<string, bool> Rivals
    {
        get
        {
            var rivals = new TheoryData<string, bool>();
            foreach (string rival in new[] { "upsert", "rmw", "delete", "delete and upsert" })
                foreach (bool isSuperseded in new[] { false, true }) rivals.Add(rival, isSuperseded);
            return rivals;
        }
    }

    [Theory, MemberData(nameof(Rivals))]
    public void A_look_up_that_is_put_off_hides_nothing_newer(string rival, bool isSuperseded) =>
        Explorer.Run(Options, () => CompactBeside(rival, isSuperseded)).AssertClean();

    [Fact]
    public void Taking_any_record_of_a_chain_for_a_newer_one_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.LookupTrustsChain], Schedules = 3000 },
            () => CompactBeside("rmw", isSuperseded: true))
        .AssertFound("Values differ", "Actual:   null");

    // The copier knows records by the hash of their keys, so the chain is one of shared tags, as in a full index.
    // Keys 1 and 2 in the first page, key 3, and key 1 again where it is superseded, in the second, all on disk and in
    // one chain.
    private static Scenario CompactBeside(string rival, bool isSuperseded)
    {
        var store = new ScheduledStore<HalfPageShape>(RecordAllocatorKind.Hybrid, 3, cached: true);
        store.Put(0, 1, 10);
        store.Put(0, 2, 20);
        store.Put(0, 3, 30);
        if (isSuperseded)
        {
            store.ShiftReadOnly(); // the records of key 1 are two
            store.Put(0, 1, 11);
        }

        store.Spill();
        long old = isSuperseded ? 11 : 10;
        Action beside = rival switch
        {
            "upsert" => () => store.Put(1, 1, 40),
            "rmw" => () => store.Add(1, 1, 1),
            "delete" => () => _ = store.Remove(1, 1),
            _ => () =>
            {
                _ = store.Remove(1, 1);
                store.Put(1, 1, 50);
            }
        };
        long? expected = rival switch { "upsert" => 40, "rmw" => old + 1, "delete" => null, _ => 50 };
        return new Scenario(
            [
                () => Compact(store),
                beside,
                () => Assert.Equal(20, store.Get(2, 2)),
            ],
            () =>
            {
                Assert.Equal(expected, store.Get(0, 1));
                Assert.Equal(20, store.Get(0, 2));
                Assert.Equal(30, store.Get(0, 3));
                Assert.Equal(Until, store.Host.Log.BeginAddress);
                store.Dispose();
            });
    }

    private static void Compact(ScheduledStore<HalfPageShape> store)
    {
        FasterStore real = store.Host.Store;
        PagedLog log = store.Host.Log;
        var liveness = new LivenessFilter(real.Tier.Storage!, merges: false);
        var route = new CopyRoute(real.Tier, real.Tier, store.Giving!, liveness, static () => false);
        var copier = new LiveRecordCopier(route, DirectCopy.Of<HashEntries>(real.Tier, LookupMemory.MinBytes));
        _ = copier.Run(log.BeginAddress, Until, long.MaxValue);
        ScheduledWaits.Run(store.Giving!.RunAsync(Until, store.Host.FlushedAsync));
    }
}
