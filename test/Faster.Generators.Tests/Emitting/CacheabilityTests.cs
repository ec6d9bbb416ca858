using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Tests.Emitting;

public class CacheabilityTests
{
    [Fact]
    public void An_edit_elsewhere_reuses_every_step()
    {
        CSharpCompilation before = Harness.Compile(Sources.Everything);
        CSharpCompilation after = before.AddSyntaxTrees(
            CSharpSyntaxTree.ParseText("class Elsewhere;", Harness.Parse, "Elsewhere.cs"));
        Assert.All(ReasonsOfSecondRun(before, after), IsReused);
    }

    [Fact]
    public void An_edit_inside_a_function_body_leaves_the_model_unchanged()
    {
        string edited = "// moved\n" + Sources.Clicks.Replace("total = amount", "total = amount + 0");
        CSharpCompilation before = Harness.Compile(Sources.Clicks);
        CSharpCompilation after = before.ReplaceSyntaxTree(
            before.SyntaxTrees[0], CSharpSyntaxTree.ParseText(edited, Harness.Parse, "User.cs"));
        Assert.All(ReasonsOfSecondRun(before, after), IsReused);
    }

    [Theory]
    [InlineData("from -= amount", "from -= amount + 0", false)]
    [InlineData("long amount", "int amount", true)]
    [InlineData("ref long? heir", "in long? heir", true)]
    [InlineData("static bool Transfer", "static void Transfer", true)]
    public void Of_a_transaction_the_signature_counts(string from, string to, bool isSeen)
    {
        string edited = TransactionSources.Bank.Replace(from, to, StringComparison.Ordinal);
        Assert.NotEqual(TransactionSources.Bank, edited);
        CSharpCompilation before = Harness.Compile(TransactionSources.Bank);
        CSharpCompilation after = before.ReplaceSyntaxTree(
            before.SyntaxTrees[0], CSharpSyntaxTree.ParseText(edited, Harness.Parse, "User.cs"));
        IncrementalStepRunReason[] reasons = ReasonsOfSecondRun(before, after);
        if (isSeen) Assert.Contains(IncrementalStepRunReason.Modified, reasons);
        else Assert.All(reasons, IsReused);
    }

    [Fact]
    public void A_changed_signature_is_seen()
    {
        CSharpCompilation before = Harness.Compile(Sources.Clicks);
        CSharpCompilation after = before.ReplaceSyntaxTree(before.SyntaxTrees[0], CSharpSyntaxTree.ParseText(
            Sources.Clicks.Replace("long page", "int page"), Harness.Parse, "User.cs"));
        Assert.Contains(IncrementalStepRunReason.Modified, ReasonsOfSecondRun(before, after));
    }

    private static void IsReused(IncrementalStepRunReason reason) =>
        Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged, $"{reason}");

    private static IncrementalStepRunReason[] ReasonsOfSecondRun(Compilation before, Compilation after)
    {
        GeneratorDriver driver = Harness.Driver(trackSteps: true).RunGenerators(before).RunGenerators(after);
        GeneratorRunResult result = driver.GetRunResult().Results[0];
        string[] steps = [StoreGenerator.ModelStep, StoreGenerator.SoundModelStep];
        IncrementalStepRunReason[] reasons =
        [
            .. steps.SelectMany(s => result.TrackedSteps[s]).SelectMany(s => s.Outputs).Select(o => o.Reason),
            .. result.TrackedOutputSteps.SelectMany(s => s.Value).SelectMany(s => s.Outputs).Select(o => o.Reason),
        ];
        Assert.True(reasons.Length >= 3);
        return reasons;
    }
}
