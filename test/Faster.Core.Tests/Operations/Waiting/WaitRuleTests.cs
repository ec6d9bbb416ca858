using Faster.Contracts;
using Faster.Operations.Waiting;

namespace Faster.Tests.Operations.Waiting;

/// <summary>How threads wait for what attempts have lacked.</summary>
public sealed class WaitRuleTests
{
    private static IEnumerable<Outcome> Unfinished => Enum.GetValues<Outcome>()
        .Where(outcome => outcome is > Outcome.NotFound and not Outcome.Suspended);

    [Fact]
    public void A_worker_blocks_for_no_operation() =>
        Assert.All(Unfinished, outcome => Assert.All([false, true], isHeldUp =>
            Assert.DoesNotContain(
                WaitRule.FormOf(outcome, Waiter.Worker, isHeldUp), new[] { WaitForm.Space, WaitForm.Write })));

    [Fact]
    public void An_operation_that_should_go_pending_may() =>
        Assert.All(Unfinished, outcome => Assert.All(Enum.GetValues<Waiter>(), waiter =>
        {
            if (WaitRule.FormOf(outcome, waiter, isHeldUp: true) == WaitForm.Pending)
                Assert.True(WaitRule.MayPend(outcome), $"{outcome}, {waiter}");
        }));

    [Theory]
    [InlineData(Outcome.AllocationFailed, "Space Pending Space Pending")]
    [InlineData(Outcome.Oversized, "Write Pending Pending Pending")]
    [InlineData(Outcome.BucketLatched, "Yield Yield Yield Yield")]
    [InlineData(Outcome.Fuzzy, "Yield Yield Yield Yield")]
    [InlineData(Outcome.Expired, "None None None None")]
    internal void Each_thread_waits_in_its_own_way(Outcome outcome, string forms) =>
        Assert.Equal(
            forms,
            string.Join(' ', Enum.GetValues<Waiter>()
                .Select(waiter => WaitRule.FormOf(outcome, waiter, isHeldUp: false))));
}
