using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Tiered;
using Faster.Conformance.Suites;
using Faster.Contracts;
using Faster.Probes;
using Faster.Tests.Scheduling;
using Xunit.Sdk;

namespace Faster.Tests.Conformance;

/// <summary>
/// The suites of durability and of histories find the bugs that are seeded in the engine F2; without one, they are
/// <c>TieredCounters</c>' own, and pass. docs/testing/conformance.md has the bugs that they can't find.
/// </summary>
public sealed class DurableSuitesHaveTeeth
{
    private const string Strict = "two tiers, reopened", Relaxed = "two tiers, reopened, in relaxed order";
    private const string Cached = "two tiers with read cache";
    private const int Tries = 6; // of a test whose threads meet the bug by chance, nearly always in the first

    [Fact]
    public Task Copies_in_a_history() =>
        FindsAsync(SeededBug.HistoryHasCopies, Tries, () => OfAsync<Histories>(HistoryAsync), "has 2 records");

    [Fact]
    public Task Older_records_that_move_last() =>
        FindsAsync(SeededBug.MoveWithoutSearch, 1, () => OfAsync<Boundaries>(MovesAsync), "key . as of commit [12]");

    [Fact]
    public Task Deletions_that_do_not_reach_the_lower_tier() => FindsAsync(
        SeededBug.TombstoneStaysAbove, 1, () => OfAsync<Boundaries>(MovesAsync), "now: expected nothing, found");

    [Fact]
    public Task Scans_of_a_commit_that_read_what_has_moved_since() => FindsAsync(
        SeededBug.CommitScanPassesEnd, 1, () => OfAsync<Boundaries>(MovesAsync), "key . as of commit [12]");

    [Fact]
    public Task Sessions_whose_last_operations_are_forgotten() => FindsAsync(
        SeededBug.EndedIsCommitted, 1, () => OfAsync<Boundaries>(EndedAsync), "covers 1 of 2 operations");

    [Fact]
    public Task Numbers_that_were_left_out_and_are_forgotten() => FindsAsync(
        SeededBug.RecoveryForgetsExcluded, 1, () => OfAsync<Boundaries>(LeftOutAsync), "was not covered, and now");

    [Fact]
    public Task Batches_that_are_torn() => FindsAsync(
        SeededBug.UnitsNotAwaited, Tries, () => OfAsync<Sums>(SumsAsync), "a batch was torn|Account \\d+ has");

    [Fact]
    public Task Later_updates_in_records_of_the_commit() =>
        FindsAsync(SeededBug.NextUpdatesOld, Tries, () => OfAsync<Prefixes>(PrefixesAsync), "as of commit");

    private static Task HistoryAsync(Histories suite) =>
        suite.A_history_of_a_key_whose_record_moves_has_it_once(Cached);

    private static Task MovesAsync(Boundaries suite) =>
        suite.Writes_after_a_commit_are_not_in_it_although_they_have_left_memory(Strict);

    private static Task EndedAsync(Boundaries suite) =>
        suite.Operations_of_an_ended_session_are_in_the_next_commit(Strict);

    private static Task LeftOutAsync(Boundaries suite) =>
        suite.Excluded_operations_are_never_covered_by_a_later_commit(Relaxed);

    private static Task SumsAsync(Sums suite) => suite.Transfers_are_in_a_commit_as_a_whole(Strict);

    private static Task PrefixesAsync(Prefixes suite) =>
        suite.A_commit_has_the_prefix_of_each_session_and_nothing_else(Strict);

    private static async Task OfAsync<TSuite>(Func<TSuite, Task> test)
        where TSuite : IDisposable, new()
    {
        using var suite = new TSuite();
        await test(suite);
    }

    private static async Task FindsAsync(SeededBug bug, int tries, Func<Task> test, string why)
    {
        using IDisposable seeded = SeededProbe.Seed(bug);
        for (int i = 0; i < tries; i++)
        {
            try
            {
                await test();
            }
            catch (XunitException found)
            {
                Assert.Matches(why, found.Message);
                return;
            }
        }

        Assert.Fail($"{bug} was not found.");
    }

    private sealed class Prefixes : SessionPrefixes<TieredCounters, long, long>;

    private sealed class Boundaries : CommitBoundaries<TieredCounters, long, long>;

    private sealed class Sums : ConservedSums<TieredCounters>;

    private sealed class Histories : KeyHistories<TieredCounters, long, long>;
}
