using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>
/// A parameter is what its type says, or where types do not differ, what its name says. One whose name contradicts its
/// place, or that nothing tells apart, is an error: the store would update with the wrong operand and say nothing.
/// </summary>
public class ParameterNameTests
{
    private const string Start =
        "[InitialUpdater] static void Start(string word, long times, ref long t) => t = times;";
    private const string Add = "[InPlaceUpdater] static void Add(string word, long times, ref long t) => t += times;";

    [Theory]
    [InlineData("forgets the old value",
        Start + Add + "[CopyUpdater] static void Copy(string word, long times, ref long t) => t += times;",
        "static void Copy(string word, long times, long oldValue, ref long t)")]
    [InlineData("forgets the old value, and the key",
        Start + Add + "[CopyUpdater] static void Copy(long times, ref long t) => t += times;",
        "static void Copy(long times, long oldValue, ref long t)")]
    [InlineData("swaps old value and input",
        Start + Add + "[CopyUpdater] static void Copy(string word, long old, long times, ref long t) => t = old;",
        "static void Copy(string word, long times, long old, ref long t)")]
    [InlineData("swaps old value and input, by their names alone",
        "[CopyUpdater] static void Copy(string word, long old, long input, ref long t) => t = old;",
        "static void Copy(string word, long input, long old, ref long t)")]
    [InlineData("has an input or an old value: nothing tells which",
        Start + Add + "[CopyUpdater] static void Copy(string word, long n, ref long t) => t += n;",
        "static void Copy(string word, long times, long oldValue, ref long t)")]
    [InlineData("has input and old value in an order that nothing tells",
        "[CopyUpdater] static void Copy(string word, long a, long b, ref long t) => t = a + b;",
        "static void Copy(string word, long input, long oldValue, ref long t)")]
    [InlineData("swaps key and input",
        "[InPlaceUpdater] static void Add(long page, long by, ref long t) => t += by; "
            + "[InitialUpdater] static void Start(long by, long page, ref long t) => t = by;",
        "static void Start(long page, long by, ref long t)")]
    [InlineData("swaps key and input, by their names alone",
        "[InPlaceUpdater] static void Add(long input, long key, ref long t) => t += input;",
        "static void Add(long key, long input, ref long t)")]
    [InlineData("takes an old value that an initial updater has not",
        Add + "[InitialUpdater] static void Start(string word, long old, ref long t) => t = old;",
        "static void Start(string word, long times, ref long t)")]
    [InlineData("swaps a reader's input and value",
        Add + "[SingleReader] static void Get(string word, long value, long input, out long output) => output = 0;",
        "static void Get(string word, long input, long value, out long output)")]
    [InlineData("swaps a writer's key and value",
        "[InPlaceUpdater] static void Add(long page, long by, ref long t) => t += by; "
            + "[SingleWriter] static void Put(long newValue, long key, ref long t) => t = newValue;",
        "static void Put(long key, long newValue, ref long t)")]
    [InlineData("takes a writer's new value for the old one",
        Add + "[ConcurrentWriter] static void Put(long oldValue, ref long newValue) => newValue = oldValue;",
        "static void Put(long newValue, ref long value)")]
    [InlineData("swaps what a merger joins",
        Add + "[Merger] static void Merge(string word, long newer, ref long older) => older = newer;",
        "static void Merge(string word, long older, ref long newer)")]
    [InlineData("has a key or an input: nothing tells which",
        "[InPlaceUpdater] static void Add(long a, ref long t) => t += a; "
            + "[InitialUpdater] static void Start(long b, ref long t) => t = b;",
        "static void Start(long a, long input, ref long t)")]
    public async Task A_name_that_contradicts_its_place_is_an_error(string what, string functions, string expected)
    {
        Assert.NotEmpty(what);
        Diagnostic[] found = await AnalyzeAsync(functions);
        Diagnostic only = Assert.Single(found);
        Assert.Equal(("FAS015", DiagnosticSeverity.Error), (only.Id, only.Severity));
        Assert.Contains(expected, only.GetMessage(null));
    }

    [Theory]
    [InlineData(Start + Add + "[CopyUpdater] static void Copy(string word, long times, long old, ref long t) { }")]
    [InlineData(Start + Add + "[CopyUpdater] static void Copy(string word, long times, long n, ref long t) { }")]
    [InlineData(Start + Add + "[CopyUpdater] static void Copy(string word, long n, long oldTotal, ref long t) { }")]
    [InlineData(Start + Add + "[CopyUpdater] static void Copy(string word, long old, ref long t) { }")]
    [InlineData(Start + Add + "[CopyUpdater] static void Copy(string word, long t, ref long updated) { }")]
    [InlineData(Start + Add + "[SingleWriter] static void Put(string word, long times, ref long t) { }")]
    [InlineData(Start + Add + "[Merger] static void Merge(string word, long times, ref long t) { }")]
    [InlineData("[CopyUpdater] static void Copy(string word, int a, long b, ref long t) { }")]
    [InlineData("[CopyUpdater] static void Copy(string word, long a, ref long t) { }")]
    [InlineData("[CopyUpdater] static void Copy(string word, int oldPrice, long b, ref long t) { }")]
    [InlineData("[InPlaceUpdater] static void Add(long page, long by, ref long t) { } "
        + "[InitialUpdater] static void Start(long by, ref long t) { }")]
    [InlineData("[InPlaceUpdater] static void Add(Guid page, long by, ref long t) { } "
        + "[InitialUpdater] static void Start(Guid whatever, ref long t) { }")]
    public async Task Names_that_agree_or_types_that_differ_are_fine(string functions) =>
        Assert.Empty((await AnalyzeAsync(functions)).Select(d => d.ToString()));

    private static async Task<Diagnostic[]> AnalyzeAsync(string functions) =>
        [.. await Harness.AnalyzeAsync($"[Store] public static partial class S {{ {functions} }}")];
}
