using Xunit.Abstractions;

namespace Faster.Tests.Faults;

/// <summary>
/// Calls of one session that overlap: all but one are refused, none that was accepted is lost, and no other session is
/// harmed. In a process of its own, so that damaged memory is a failure and does not end the tests.
/// </summary>
public sealed class OverlapTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData("faster", "status")]
    [InlineData("faster", "awaited")]
    [InlineData("faster", "batched")]
    [InlineData("tiered", "status")]
    [InlineData("tiered", "awaited")]
    [InlineData("tiered", "batched")]
    [InlineData("ring", "status")]
    [InlineData("ring", "awaited")]
    [InlineData("ring", "batched")]
    public async Task No_accepted_update_of_calls_that_overlap_is_lost(string engine, string form)
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("overlap", engine, form, $"{TestBudget.Times(40_000)}");
        output.WriteLine(text);
        Assert.Equal(figures["done"], figures["sum"]);
        Assert.True(figures["done"] > 0, text);
        Assert.True(figures["refused"] > 0, $"No calls overlapped: {text}");
    }

    [Theory]
    [InlineData("faster")]
    [InlineData("tiered")]
    [InlineData("ring")]
    public async Task A_session_beside_one_that_is_misused_reads_right(string engine)
    {
        (Dictionary<string, long> figures, string text) =
            await MemoryProbe.RunAsync("bystander", engine, $"{TestBudget.Times(20_000)}");
        output.WriteLine(text);
        Assert.Equal(0, figures["wrong"]);
        Assert.True(figures["misused"] > 0 && figures["refused"] > 0, $"No calls overlapped: {text}");
    }
}
