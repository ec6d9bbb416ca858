using System.Collections.Immutable;
using System.Text.RegularExpressions;
using Faster.Generators.Tests.Fakes;
using Faster.Testing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Xunit.Abstractions;

namespace Faster.Generators.Tests.Emitting;

/// <summary>
/// Whatever a user's class is: the generator does not crash, nothing is reported inside what it emits, and either
/// nothing at all is reported or exactly the diagnostics that should be.
/// </summary>
public class VariantTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData("FasterEngine")]
    [InlineData("TieredEngine")]
    [InlineData("HotRingEngine")]
    [InlineData("TieredEngine, HotRingEngine")]
    public async Task Named_variants_compile_or_are_told_why_not(string engine)
    {
        Variant[] all = [.. Variants.Sound.Select(static s => new Variant(s, "")), .. Variants.Refused];
        await CheckAsync([.. all.Select(v => On(engine, v))], Harness.Parse);
    }

    [Fact]
    public Task Emitted_code_need_not_comply_with_the_common_language() => CheckAsync(
        [new("[assembly: CLSCompliant(true)]", ""), .. Variants.Compliant.Select(static s => new Variant(s, ""))],
        Harness.Parse);

    [Fact]
    public async Task Random_variants_compile()
    {
        await CheckAsync([.. TestSeed.Of(30).Select(RandomVariant.Write)], Harness.Parse);
    }

    [Theory]
    [InlineData(LanguageVersion.CSharp9, "FAS018")]
    [InlineData(LanguageVersion.CSharp12, "FAS018")]
    [InlineData(LanguageVersion.CSharp13, "")]
    [InlineData(LanguageVersion.Preview, "")]
    public async Task An_old_language_is_told_by_its_number(LanguageVersion version, string ids)
    {
        const string store = "[Store] public static partial class S { [InPlaceUpdater] "
            + "static void Add(long key, long by, ref long total) { total += by; } }";
        bool hasUsings = version > LanguageVersion.CSharp9; // global ones are newer
        Diagnostic[] found = await CheckAsync([new(store, ids)], Harness.Parse.WithLanguageVersion(version), hasUsings);
        Assert.All(found, d => Assert.Contains("C# 13.0 or later", d.GetMessage(null), StringComparison.Ordinal));
    }

    // HotRing has neither merged deltas nor operations that complete later.
    // On one engine, or on FASTER and two others.
    private static Variant On(string engine, Variant variant)
    {
        string[] types = [.. engine.Split(", ").Select(name => $"typeof(global::Faster.{name})")];
        string chosen = types is [var one] ? $"Engine = {one}" : $"Also = [{string.Join(", ", types)}]";
        string named = Regex.Replace(variant.Source, @"\[((?:global::Faster\.)?Store)(\(|\])", m =>
            $"[{m.Groups[1]}({chosen}{(m.Groups[2].Value == "(" ? ", " : ")]")}");
        bool isRefused = engine.EndsWith("HotRingEngine", StringComparison.Ordinal)
            && Regex.IsMatch(named, @"\[Merger\b");
        return variant with { Source = named, Ids = isRefused ? "FAS020" : variant.Ids };
    }

    private async Task<Diagnostic[]> CheckAsync(Variant[] variants, CSharpParseOptions parse, bool isUserChecked = true)
    {
        CSharpCompilation before = Harness.Compile(variants.Select(v => v.Source), parse);
        GeneratorDriver driver = CSharpGeneratorDriver.Create(
            [new StoreGenerator().AsSourceGenerator()], parseOptions: parse);
        driver.RunGeneratorsAndUpdateCompilation(before, out Compilation after, out ImmutableArray<Diagnostic> errors);
        ImmutableArray<Diagnostic> all = [.. errors, .. await Harness.Analyzed(after).GetAllDiagnosticsAsync()];
        var mistakes = new List<string>(all.GroupBy(d => (d.Id, d.Location, d.GetMessage(null)))
            .Where(g => g.Count() > 1 && IsOurs(g.First())).Select(g => $"reported twice: {g.First()}"));
        ILookup<string, Diagnostic> byFile = all
            .Where(d => d.Severity >= DiagnosticSeverity.Warning && d is { IsSuppressed: false, Id: not "CS1591" })
            .ToLookup(d => d.Location.SourceTree?.FilePath ?? "");
        var ours = new List<Diagnostic>();
        for (int i = 0; i < variants.Length; i++)
        {
            Diagnostic[] here = [.. byFile[$"v{i}.cs"]];
            ours.AddRange(here.Where(IsOurs));
            string ids = string.Join(' ', here.Where(IsOurs).Select(d => d.Id).Distinct().Order());
            bool mayFail = ids.Length > 0 || variants[i].HasOwnErrors || !isUserChecked;
            bool isRight = ids == variants[i].Ids && (mayFail || here.Length == 0);
            if (isRight) continue;
            mistakes.Add($"{variants[i].Source}\n  {variants[i].Ids} → {string.Join("\n  ", (object[])here)}");
        }

        mistakes.AddRange(byFile.Where(g => !Regex.IsMatch(g.Key, @"^(v\d+|Usings)\.cs$")).SelectMany(g => g)
            .Select(d => $"{d} in {after.SyntaxTrees.FirstOrDefault(t => t == d.Location.SourceTree)?.GetText()
                .Lines[d.Location.GetLineSpan().StartLinePosition.Line]}"));
        int emitted = after.SyntaxTrees.Count() - before.SyntaxTrees.Length;
        output.WriteLine($"{variants.Length} variants, {emitted} emitted");
        string told = string.Join("\n", mistakes.Take(40));
        Assert.True(mistakes.Count == 0, $"{mistakes.Count} of {variants.Length}:\n{told}");
        return [.. ours];

        static bool IsOurs(Diagnostic d) => d.Id.StartsWith("FAS", StringComparison.Ordinal);
    }
}

/// <summary>A file of a user's.</summary>
/// <param name="Source">The text.</param>
/// <param name="Ids">What is reported in it, in order; nothing for a sound one.</param>
/// <param name="HasOwnErrors">Whether the compiler refuses it besides.</param>
public sealed record Variant(string Source, string Ids, bool HasOwnErrors = false);
