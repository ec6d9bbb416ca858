namespace Faster.Tests.Faults;

/// <summary>
/// A process in which every thread of the shared pool is blocked, as by callers that block on tasks: operations in
/// status form, commits that a caller blocks on, periodic commits, compaction under a disk budget, and closing all end.
/// </summary>
public sealed class BlockedPoolTests
{
    [Theory]
    [InlineData("faster")]
    [InlineData("tiered")]
    public async Task A_store_needs_no_thread_of_the_pool(string engine)
    {
        (Dictionary<string, long> figures, string _) = await MemoryProbe.RunAsync("blocked-pool", engine);
        Assert.True(figures["commits"] >= 2 && figures["compactions"] >= 3);
    }
}
