using System.Runtime.Intrinsics;
using System.Text.RegularExpressions;

namespace Faster.Generators.Tests.HitPath;

/// <summary>The emitted hit path makes no virtual, interface or delegate call, and does not allocate.</summary>
public sealed class HitPathTests(HitPathProgram program) : IClassFixture<HitPathProgram>
{
    [X64Theory]
    [InlineData("Read")]
    [InlineData("Upsert")]
    [InlineData("Rmw")]
    [InlineData("RmwOutput")]
    [InlineData("ReadBytes")]
    [InlineData("UpsertBytes")]
    [InlineData("ReadPair")]
    [InlineData("UpsertPair")]
    [InlineData("RingRead")]
    [InlineData("RingUpsert")]
    [InlineData("RingRmw")]
    public void A_hit_knows_every_target_it_calls(string operation)
    {
        string root = $"Faster.HitPath.Roots:{operation}";
        AssertNone(rules => rules.FindFaults(root));
    }

    [X64Theory]
    [InlineData("Read")]
    [InlineData("Upsert")]
    [InlineData("Rmw")]
    [InlineData("RmwOutput")]
    [InlineData("ReadBytes")]
    [InlineData("UpsertBytes")]
    [InlineData("ReadPair")]
    [InlineData("UpsertPair")]
    [InlineData("RingRead")]
    public void A_hit_without_a_guard_does_not_throw(string operation)
    {
        string root = $"Faster.HitPath.Roots:{operation}";
        AssertNone(rules => rules.FindThrows(root));
    }

    /// <summary>
    /// Each instruction of a hit takes space from the hits behind it, which wait for memory at the same time
    /// (docs/internals/quiet-epoch.md). A number that a change lowers is lowered here.
    /// </summary>
    /// <param name="operation">The session's method, compiled at once and compiled by tiers.</param>
    /// <param name="instructions">The most instructions that it may have, cold ones included.</param>
    /// <param name="stores">The most of them that may write to memory.</param>
    [X64Theory]
    [InlineData("Read", 102, 10)]
    [InlineData("Upsert", 95, 10)]
    [InlineData("Rmw", 100, 15)]
    public void A_hit_is_as_short_as_it_was(string operation, int instructions, int stores)
    {
        int more = Vector512.IsHardwareAccelerated ? 0 : 29; // an entry is then found in registers
        foreach (IReadOnlyDictionary<string, JitMethod> compiled in new[] { program.Methods, program.Tiered })
        {
            JitMethod method = HitPathProgram.HitOf(compiled, operation);
            string all = string.Join(Environment.NewLine, method.Instructions);
            Assert.True(method.IsOptimized, $"{method.Name} was not optimized, so its listing shows nothing.");
            Assert.True(method.Instructions.Count <= instructions + more, $"{method.Instructions.Count} are:\n{all}");
            Assert.True(method.Stores <= stores, $"{method.Stores} stores are in:\n{all}");
            Assert.Equal(4, method.Calls.Count); // a call that claims its session, the second look, a drain, a misuse
        }
    }

    /// <summary>
    /// The same for what is called if records expire. The session's method has come as far as its first comparison.
    /// </summary>
    [X64Theory]
    [InlineData("Read", 98, 10)]
    [InlineData("Upsert", 96, 9)]
    [InlineData("Rmw", 114, 14)]
    public void A_hit_on_a_record_that_expires_is_as_short_as_it_was(string operation, int instructions, int stores)
    {
        int more = Vector512.IsHardwareAccelerated ? 0 : 17;
        JitMethod method = program.Methods.Values.Single(m => ExpiringHit(operation).IsMatch(m.Name));
        string all = string.Join(Environment.NewLine, method.Instructions);
        Assert.True(method.Instructions.Count <= instructions + more, $"{method.Instructions.Count} are:\n{all}");
        Assert.True(method.Stores <= stores, $"{method.Stores} stores are in:\n{all}");
        Assert.Equal(2, method.Calls.Count); // the other ways, a drain
    }

    [X64Theory]
    [InlineData("Span")]
    [InlineData("Element")]
    [InlineData("Sum")]
    [InlineData("Thrown")]
    [InlineData("Passed")]
    public void Each_kind_of_exit_by_exception_is_found(string control)
    {
        Assert.Single(new HitPathRules(program.Methods).FindThrows($"Faster.HitPath.Controls:{control}"));
    }

    [X64Theory]
    [InlineData("Virtual")]
    [InlineData("Interface")]
    [InlineData("Delegate")]
    [InlineData("Pointer")]
    [InlineData("Nested")]
    [InlineData("Allocation")]
    public void Each_kind_of_forbidden_call_is_found(string control)
    {
        IReadOnlyList<string> faults = FindFaults($"Faster.HitPath.Controls:{control}");

        Assert.Single(faults);
    }

    [X64Fact]
    public void A_root_that_is_not_listed_is_a_fault()
    {
        Assert.Single(FindFaults("Faster.HitPath.Roots:Missing"));
    }

    private static Regex ExpiringHit(string operation) => new(
        $@"^Faster\.LogSessions\.\S*:ExecuteAgain\[\S*\.{operation}Algorithm\S*\.Sums\+\S*StatusForm");

    private void AssertNone(Func<HitPathRules, IReadOnlyList<string>> find)
    {
        IReadOnlyList<string> faults = find(new HitPathRules(program.Methods));
        Assert.True(faults.Count == 0, string.Join(Environment.NewLine, faults));
    }

    private IReadOnlyList<string> FindFaults(string root) => new HitPathRules(program.Methods).FindFaults(root);
}
