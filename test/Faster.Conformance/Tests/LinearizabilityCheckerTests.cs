using Faster.Conformance.Contract;
using Faster.Conformance.Histories;
using static Faster.Conformance.Histories.OperationKind;

namespace Faster.Conformance.Tests;

/// <summary>The checker accepts correct histories, rejects wrong ones, and says why.</summary>
public sealed class LinearizabilityCheckerTests
{
    private const long Never = Operation<long>.Never;
    private static readonly AddModel Add = new();

    [Fact]
    public void Steps_one_after_the_other_are_linearizable() => AssertRight(
        Absent(Read, 1, 2), Done(Upsert, 5, 3, 4), Found(5, 5, 6), Done(Rmw, 2, 7, 8), Found(7, 9, 10),
        Done(Delete, 0, 11, 12), Absent(Read, 13, 14), Absent(Delete, 15, 16), Done(Rmw, 3, 17, 18), Found(3, 19, 20));

    [Fact]
    public void Concurrent_updates_may_come_in_either_order()
    {
        AssertRight(Done(Upsert, 1, 1, 4), Done(Upsert, 2, 2, 3), Found(1, 5, 6));
        AssertRight(Done(Upsert, 1, 1, 4), Done(Upsert, 2, 2, 3), Found(2, 5, 6));
        AssertRight(Done(Upsert, 1, 1, 4), Done(Rmw, 2, 2, 3), Found(3, 5, 6));
    }

    [Fact]
    public void Equal_times_are_concurrent() => AssertRight(Done(Upsert, 1, 1, 2), Absent(Read, 2, 3));

    [Fact]
    public void A_lost_update_is_found() =>
        AssertWrong(Done(Rmw, 1, 1, 3), Done(Rmw, 2, 2, 4), Found(2, 5, 6));

    [Fact]
    public void A_stale_read_is_found() =>
        AssertWrong(Done(Upsert, 1, 1, 2), Done(Upsert, 2, 3, 4), Found(1, 5, 6));

    [Fact]
    public void A_read_that_goes_back_in_time_is_found() =>
        AssertWrong(Done(Upsert, 1, 1, 2), Done(Upsert, 2, 3, 20), Found(2, 5, 6), Found(1, 7, 8));

    [Fact]
    public void A_read_of_a_value_that_was_never_written_is_found() =>
        AssertWrong(Done(Upsert, 1, 1, 2), Found(9, 3, 4));

    [Fact]
    public void A_delete_that_is_undone_is_found() =>
        AssertWrong(Done(Upsert, 1, 1, 2), Done(Delete, 0, 3, 4), Found(1, 5, 6));

    [Fact]
    public void A_delete_that_missed_the_key_is_found() =>
        AssertWrong(Done(Upsert, 1, 1, 2), Absent(Delete, 3, 4));

    [Fact]
    public void An_update_made_twice_is_found() => AssertWrong(Done(Rmw, 1, 1, 2), Found(2, 3, 4));

    [Fact]
    public void Appends_seen_in_two_orders_are_found()
    {
        var checker = new LinearizabilityChecker<byte[]>(new AppendModel());
        Operation<byte[]>[] updates = [Append("a"u8, 1, 10), Append("b"u8, 2, 11)];
        Assert.Null(checker.Check([.. updates, Found("ab"u8, 12, 13), Found("ab"u8, 14, 15)]));
        Assert.NotNull(checker.Check([.. updates, Found("ab"u8, 12, 13), Found("ba"u8, 14, 15)]));
    }

    [Fact]
    public void An_unanswered_update_may_have_happened_or_not()
    {
        AssertRight(Done(Upsert, 1, 1, Never), Absent(Read, 2, 3), Found(1, 4, 5));
        AssertRight(Done(Upsert, 1, 1, Never), Absent(Read, 2, 3), Absent(Read, 4, 5));
        AssertWrong(Done(Upsert, 1, 1, Never), Found(1, 2, 3), Absent(Read, 4, 5));
        AssertWrong(Found(1, 1, 2), Done(Upsert, 1, 3, Never));
    }

    [Fact]
    public void The_state_before_the_history_counts()
    {
        var checker = new LinearizabilityChecker<long>(Add);
        Assert.Null(checker.Check([Found(8, 1, 2)], new(true, 8)));
        Assert.NotNull(checker.Check([Found(8, 1, 2)], new(true, 9)));
    }

    [Fact]
    public void More_operations_than_the_checker_takes_are_refused()
    {
        Operation<long>[] many = [.. Enumerable.Range(0, 65).Select(i => Done(Upsert, 1, 2 * i, (2 * i) + 1))];
        Assert.Throws<ArgumentException>(() => new LinearizabilityChecker<long>(Add).Check(many));
        Assert.Null(new LinearizabilityChecker<long>(Add).Check(many.Skip(1)));
    }

    [Fact]
    public void A_search_that_grows_too_large_says_that_it_knows_nothing()
    {
        // Distinct sums of 20 concurrent updates, none of which explains the read.
        Operation<long>[] many = [.. Enumerable.Range(0, 20).Select(i => Done(Rmw, 1L << i, 1, 2)), Found(-1, 3, 4)];
        var checker = new LinearizabilityChecker<long>(Add, maxConfigurations: 10_000);
        Assert.Throws<InvalidOperationException>(() => checker.Check(many));
    }

    [Fact]
    public void The_explanation_names_the_culprit_and_leaves_out_what_plays_no_part()
    {
        Operation<long> culprit = Found(2, 11, 12);
        Violation<long> violation = new LinearizabilityChecker<long>(Add).Check(
        [
            Absent(Read, 1, 2), Done(Rmw, 1, 3, 5), Done(Rmw, 2, 4, 6), culprit, Found(2, 13, 14),
            Done(Upsert, 9, 15, 16),
        ])!;
        Assert.Equal(culprit, violation.Culprit);
        Assert.Equal(3, violation.Smallest.Count);
        Assert.Equal(
            """
            Not linearizable; the key was absent before. 3 of 6 operations:
              session  3 [-]     Rmw(1)
              session  4  [-]    Rmw(2)
              session 11     []  Read → 2   <- no order of the others explains this answer
              As far as it goes: Rmw(1), Rmw(2)
            """,
            violation.ToString(),
            ignoreLineEndingDifferences: true);
    }

    [Fact]
    public void Concurrent_appends_that_no_read_finds_are_decided()
    {
        // Ten at a time can come in 3.6 million orders.
        IEnumerable<Operation<byte[]>> appends = Enumerable.Range(0, 10).Select(i => Append([(byte)i], 1, 2));
        Operation<byte[]> upsert = Append([200], 3, 4) with { Kind = Upsert };
        var checker = new LinearizabilityChecker<byte[]>(new AppendModel(), maxConfigurations: 10_000);
        Assert.Null(checker.Check([.. appends, upsert, Found([200], 5, 6)]));
        Assert.NotNull(checker.Check([.. appends, upsert, Found([1, 200], 5, 6)]));
    }

    [Fact]
    public Task It_agrees_with_the_definition_on_small_histories_of_sums() =>
        AgreesAsync(new AddModel(), random => random.Next(1, 3), random => random.Next(1, 4));

    [Fact]
    public Task It_agrees_with_the_definition_on_small_histories_of_appends() =>
        AgreesAsync(new AppendModel(), random => Letters(random, 1), random => Letters(random, random.Next(1, 4)));

    [Fact]
    public Task Histories_of_a_right_store_pass_and_fail_once_corrupted() => Seeded.RunAsync(300, seed =>
    {
        var random = new Random(seed);
        var checker = new LinearizabilityChecker<long>(Add);
        Operation<long>[] history = RandomHistory.Right(random, 60, overlap: 4, Add, i => (1L << 40) + (i * 7919L));
        Violation<long>? violation = checker.Check(history);
        Assert.True(violation is null, $"A right history was convicted. {violation}");

        int[] reads = [.. Enumerable.Range(0, 60).Where(i => history[i].Kind == Read)];
        if (reads.Length == 0) return Task.CompletedTask;
        int victim = reads[random.Next(reads.Length)];
        // No sum of inputs is odd plus a half of the range: the value was never there.
        history[victim] = history[victim] with { Found = true, Result = long.MinValue + 1 };
        violation = checker.Check(history);
        Assert.True(violation is not null, "A corrupted history passed.");
        Assert.Equal(history[victim], violation.Culprit);
        return Task.CompletedTask;
    });

    [Fact]
    public Task A_sequential_history_that_lost_an_update_fails() => Seeded.RunAsync(300, seed =>
    {
        // Sequential, so that the loss must show: a read follows each update, and one update is dropped.
        var random = new Random(seed);
        int dropped = random.Next(20);
        long sum = 0;
        var history = new List<Operation<long>>();
        for (int i = 0; i < 20; i++)
        {
            history.Add(Done(Rmw, i + 1, (4 * i) + 1, (4 * i) + 2));
            if (i != dropped) sum += i + 1;
            history.Add(sum == 0 ? Absent(Read, (4 * i) + 3, (4 * i) + 4) : Found(sum, (4 * i) + 3, (4 * i) + 4));
        }

        Violation<long>? violation = new LinearizabilityChecker<long>(Add).Check(history);
        Assert.NotNull(violation);
        Assert.Equal((4 * dropped) + 4, violation.Culprit.Responded);
        return Task.CompletedTask;
    });

    private static async Task AgreesAsync<TValue>(
        ValueModel<TValue> model, Func<Random, TValue> input, Func<Random, TValue> result)
    {
        int right = 0, wrong = 0;
        var checker = new LinearizabilityChecker<TValue>(model);
        await Seeded.RunAsync(3_000, seed =>
        {
            var random = new Random(seed);
            Operation<TValue>[] history =
                RandomHistory.Anything(random, random.Next(1, 7), () => input(random), () => result(random));
            RegisterState<TValue> initial = random.Next(2) == 0 ? default : new(true, result(random));
            bool expected = BruteForceChecker.IsLinearizable(history, model, initial);
            Violation<TValue>? violation = checker.Check(history, initial);
            Assert.True(expected == violation is null, $"By definition: {expected}. {violation}");
            _ = expected ? right++ : wrong++;
            if (violation is null) return Task.CompletedTask;
            bool isReason = !BruteForceChecker.IsLinearizable([.. violation.Smallest], model, initial);
            Assert.True(isReason, $"The smallest history is linearizable. {violation}");
            return Task.CompletedTask;
        });
        if (Seeded.IsReplay) return;
        Assert.True(right > 150 && wrong > 150, $"{right} right, {wrong} wrong: the draw is lopsided.");
    }

    private static byte[] Letters(Random random, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => (byte)('a' + random.Next(2)))];

    private static Operation<long> Done(OperationKind kind, long input, long invoked, long responded) =>
        Of(kind, input, invoked, responded, found: true, 0);

    private static Operation<long> Found(long value, long invoked, long responded) =>
        Of(Read, 0, invoked, responded, found: true, value);

    private static Operation<byte[]> Append(ReadOnlySpan<byte> input, long invoked, long responded) =>
        Of(Rmw, input.ToArray(), invoked, responded, found: true, []);

    private static Operation<byte[]> Found(ReadOnlySpan<byte> value, long invoked, long responded) =>
        Of(Read, [], invoked, responded, found: true, value.ToArray());

    private static Operation<long> Absent(OperationKind kind, long invoked, long responded) =>
        Of(kind, 0, invoked, responded, found: false, 0L);

    private static Operation<TValue> Of<TValue>(
        OperationKind kind, TValue input, long invoked, long responded, bool found, TValue result) => new()
        {
            Session = (int)invoked,
            Kind = kind,
            Input = input,
            Invoked = invoked,
            Responded = responded,
            Found = found,
            Result = result,
        };

    private static void AssertRight(params Operation<long>[] history)
    {
        Violation<long>? violation = new LinearizabilityChecker<long>(Add).Check(history);
        Assert.True(violation is null, $"{violation}");
    }

    private static void AssertWrong(params Operation<long>[] history) =>
        Assert.NotNull(new LinearizabilityChecker<long>(Add).Check(history));
}
