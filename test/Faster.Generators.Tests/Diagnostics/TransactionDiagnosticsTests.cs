using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Diagnostics;

/// <summary>
/// The diagnostics of transactions: reported where they should be, and not where the mistake is fixed.
/// </summary>
public class TransactionDiagnosticsTests
{
    private const string Next = "[Transaction] static void Next(ref long n) => n++;";

    [Theory]
    [InlineData("FAS025", "static long Pay(ref long a) => a", "static bool Pay(ref long a) => a > 0")]
    [InlineData("FAS025", "static void Pay<T>(ref long a) { }", "static void Pay(ref long a) { }")]
    [InlineData("FAS025", "static void Next(ref long a, long b) { }", "static void After(ref long a, long b) { }")]
    [InlineData("FAS025", "static async void Pay(long a) { }", "static void Pay(ref long a) { }")]
    [InlineData("FAS026", "static void Pay(ref int a) { }", "static void Pay(ref long a) { }")]
    [InlineData("FAS026", "static void Pay(ref long a, in int b) { }", "static void Pay(ref long a, int b) { }")]
    [InlineData("FAS026", "static void Pay(Records<string> a) { }", "static void Pay(Records<long?> a) { }")]
    [InlineData("FAS026", "static void Pay(ReadOnlyRecords<int?> a) { }",
        "static void Pay(ReadOnlyRecords<long> a) { }")]
    [InlineData("FAS027", "static bool Pay(long a) => true", "static bool Pay(in long a) => true")]
    [InlineData("FAS027", "static void Pay(ref long a, out int b, out int c) => b = c = 1",
        "static void Pay(ref long a, out (int, int) b) => b = (1, 1)")]
    [InlineData("FAS027", "static void Pay(ref long a, Span<byte> b) { }", "static void Pay(ref long a, byte[] b) { }")]
    [InlineData("FAS027", "static void Pay(Transaction<long, long> all, ref long a) { }",
        "static void Pay(Transaction<long, long> all, long a) { }")]
    [InlineData("FAS027", "static void Pay(Transaction<int, long> all) { }",
        "static void Pay(Transaction<long, long> all) { }")]
    [InlineData("FAS027", "static void Pay(ref long a, [KeyOf(\"b\")] long k) { }",
        "static void Pay(ref long a, [KeyOf(nameof(a))] long k) { }")]
    [InlineData("FAS027", "static void Pay(ref long a, [KeyOf(nameof(a))] int k) { }",
        "static void Pay(ref long a, [KeyOf(nameof(a))] in long k) { }")]
    [InlineData("FAS027", "static void Pay(ref long a, Records<long?> all) { }",
        "static void Pay(ref long? a, Records<long?> all) { }")]
    [InlineData("FAS012", "static void Read(ref long a) { }", "static void ReadAll(ref long a) { }")]
    [InlineData("FAS012", "static void Dispose(ref long a) { }", "static void DisposeOf(ref long a) { }")]
    [InlineData("FAS012", "static void NextBatch(ref long a) { }", "static void NextOfAll(ref long a) { }")]
    public async Task A_transaction_that_can_be_none_is_refused(string id, string wrong, string right)
    {
        Diagnostic[] ours = await Ours($"[Transaction] {Ended(wrong)}");
        Assert.Equal([id], ours.Select(static d => d.Id).Distinct());
        Assert.All(ours, static d => Assert.Equal("User.cs", d.Location.SourceTree!.FilePath));
        Assert.Equal([], (await Ours($"[Transaction] {Ended(right)}")).Select(static d => d.ToString()));
    }

    [Fact]
    public async Task A_transaction_has_at_most_sixteen_records_of_its_own()
    {
        string Many(int count) => string.Join(", ", Enumerable.Range(0, count).Select(static i => $"ref long a{i}"));
        Assert.Empty(await Ours($"[Transaction] static void Pay({Many(16)}) {{ }}"));
        Diagnostic found = Assert.Single(await Ours($"[Transaction] static void Pay({Many(17)}) {{ }}"));
        Assert.Equal("FAS027", found.Id);
        Assert.Contains("Records<T>", found.GetMessage(null), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("catch (Exception) { }", true)]
    [InlineData("catch { }", true)]
    [InlineData("catch (OverflowException) { }", false)]
    [InlineData("catch (Exception e) when (e is OverflowException) { }", false)]
    [InlineData("catch (Exception) { last = 0; throw; }", false)]
    public async Task A_clause_that_catches_a_conflict_is_found(string clause, bool isFound)
    {
        const string head = "[Transaction] static void Follow(Transaction<long, long> all, long first, out long last)";
        string body = $"{{ last = 0; try {{ last = all.Read(first).Value; }} {clause} }}";
        Assert.Equal(isFound ? ["FAS028"] : [], (await Ours($"{head} {body}")).Select(static d => d.Id));
        string elsewhere = $"{{ last = all.Read(first).Value; try {{ last++; }} {clause} }}";
        Assert.Empty(await Ours($"{head} {elsewhere}"));
    }

    [Theory]
    [InlineData("session.Take(1);", true)]
    [InlineData("session?.Take(1);", true)]
    [InlineData("await session.TakeAsync(1);", true)]
    [InlineData("await session.TakeAsync(1).ConfigureAwait(false);", true)]
    [InlineData("await session.LookAsync(1);", true)]
    [InlineData("_ = session.Take(1);", false)]
    [InlineData("if (session.Take(1) == TransactionStatus.Aborted) return;", false)]
    [InlineData("_ = (await session.LookAsync(1)).IsCommitted;", false)]
    [InlineData("session.Next(1);", false)]
    [InlineData("await session.NextAsync(1);", false)]
    public async Task An_ignored_end_is_found_where_it_may_be_an_abort(string use, bool isFound)
    {
        const string more = "[Transaction] static bool Take(ref long n) => n-- > 0;"
            + "[Transaction] static bool Look(in long n, out long m) => (m = n) > 0;";
        const string head = "static class Program { static async Task Run(S.ISession session) { await Task.Yield();";
        Diagnostic[] found = await Ours(more, $"{head} {use} }} }}");
        Assert.Equal(isFound ? ["FAS103"] : [], found.Select(static d => d.Id));
    }

    [Fact]
    public async Task Engines_without_transactions_are_named()
    {
        Diagnostic found = Assert.Single(await Harness.AnalyzeAsync(
            $"[Store(Engine = typeof(HotRingEngine), Key = typeof(long))] public static partial class S {{ {Next} }}"));
        Assert.Equal("FAS020", found.Id);
        Assert.StartsWith(
            "The engine 'HotRingEngine' has no transactions, so a store on it has no [Transaction]; engines that can: ",
            found.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transaction_outside_a_store_is_found() => Assert.Equal(
        ["FAS014"],
        (await Harness.AnalyzeAsync($"static class S {{ {Next} }}")).Select(static d => d.Id));

    private static string Ended(string method) => method.EndsWith('}') ? method : method + ";";

    private static Task<Diagnostic[]> Ours(string members, string more = "") => Harness.AnalyzeAsync(
        "[Store(Engine = typeof(MemoryEngine), Key = typeof(long), Value = typeof(long))] public static partial class S"
        + $" {{ {Next} {members} }} {more} {TransactionSources.Engine}");
}
