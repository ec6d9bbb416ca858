using Faster.Commits;
using Faster.Contracts;

namespace Faster.Tests.Commits;

public sealed class CommitRehearsalTests
{
    [Theory]
    [InlineData(PendingOrder.Strict)]
    [InlineData(PendingOrder.Relaxed)]
    public async Task A_rehearsal_passes_all_phases_and_ends_at_rest(PendingOrder order)
    {
        var state = new CommitState(version: 1, order, stripes: 1);
        await CommitRehearsal.RunAsync(state);
        Assert.Equal(new SystemState(CommitPhase.Rest, 2), state.Current);
    }
}
