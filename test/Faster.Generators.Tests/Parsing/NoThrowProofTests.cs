using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Parsing;

/// <summary>A hit has no guard if its updater provably can't throw; whatever is not proved has one.</summary>
public class NoThrowProofTests
{
    private const string Unguarded = "RunsUserCode => false;";

    [Theory]
    [InlineData("total += amount;")]
    [InlineData("total = total * 31 + (amount ^ page);")]
    [InlineData("total++; --total;")]
    [InlineData("total -= -amount; total <<= 3; total = ~total;")]
    [InlineData("if (amount > total) total = amount; else { total = 0; }")]
    [InlineData("total = amount > 0 && page != 3 ? amount : total;")]
    [InlineData("long sum = total + amount; total = sum;")]
    [InlineData("total = (int)amount + (byte)page;")]
    [InlineData("total = (long)(total * 0.5 / amount);")]
    [InlineData("total = total / 2 + amount % 7;")]
    [InlineData("total = System.Math.Max(total, amount);")]
    [InlineData("System.Threading.Interlocked.Add(ref total, amount);")]
    [InlineData("total = unchecked(total + amount);")]
    [InlineData("return;")]
    public void A_body_that_only_computes_needs_no_guard(string body)
    {
        Assert.Contains(Unguarded, RmwOf(body), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("total = total / amount;")]
    [InlineData("total %= amount;")]
    [InlineData("total /= 0 * 1 - 1;")]
    [InlineData("total = checked(total + amount);")]
    [InlineData("checked { total += amount; }")]
    [InlineData("checked { total++; }")]
    [InlineData("total = checked((int)amount);")]
    [InlineData("total = Other.Seed;")]
    [InlineData("Other.Count++;")]
    [InlineData("total = new int[2][amount];")]
    [InlineData("total = Other.Of(amount);")]
    [InlineData("total = amount.GetHashCode();")]
    [InlineData("total = System.Math.Abs(amount);")]
    [InlineData("throw new System.InvalidOperationException();")]
    [InlineData("total = (long)(decimal)amount;")]
    [InlineData("total = long.Parse(\"1\");")]
    [InlineData("while (true) { }")]
    [InlineData("for (long i = 0; i < amount; i++) total++;")]
    [InlineData("object boxed = amount; total = (long)boxed;")]
    [InlineData("System.Func<long> f = () => 1; total = f();")]
    [InlineData("try { total += amount; } finally { total = 0; }")]
    [InlineData("total = new Wide(amount) + new Wide(1);")]
    public void Code_that_may_throw_has_a_guard(string body)
    {
        Assert.DoesNotContain(Unguarded, RmwOf(body), StringComparison.Ordinal);
    }

    [Fact]
    public void Arithmetic_of_a_project_that_checks_it_may_throw()
    {
        Assert.Contains(Unguarded, RmwOf("total += amount;"), StringComparison.Ordinal);
        Assert.DoesNotContain(Unguarded, RmwOf("total += amount;", checks: true), StringComparison.Ordinal);
    }

    [Fact]
    public void A_static_constructor_may_throw()
    {
        const string body = "total += amount;";
        Assert.DoesNotContain(Unguarded, RmwOf(body, more: "static Clicks() { }"), StringComparison.Ordinal);
        Assert.Contains(Unguarded, RmwOf(body, more: "static long seen = 1;"), StringComparison.Ordinal);
    }

    [Fact]
    public void Fields_of_a_struct_are_harmless_and_its_properties_are_not()
    {
        Assert.Contains(Unguarded, RmwOf("total += amount.Left;", input: "Pair"), StringComparison.Ordinal);
        Assert.DoesNotContain(Unguarded, RmwOf("total += amount.Right;", input: "Pair"), StringComparison.Ordinal);
        Assert.DoesNotContain(Unguarded, RmwOf("total += amount.Left;", input: "Node"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_copy_updater_in_place_is_judged_like_an_updater()
    {
        const string copy = "[CopyUpdater] static void Copy(long page, long amount, long old, ref long total) ";
        string Rmw(string body) => OperationOf(Emit("", $$"""{{copy}} { {{body}} }""", checks: false), "Rmw");
        Assert.Contains(Unguarded, Rmw("total = old + amount;"), StringComparison.Ordinal);
        Assert.DoesNotContain(Unguarded, Rmw("total = old / amount;"), StringComparison.Ordinal);
    }

    [Fact]
    public void Readers_have_a_guard_and_writers_only_if_they_need_one()
    {
        const string Reader = "[ConcurrentReader] static void Get(long page, in long total, out long output) ";
        string read = Emit("", Reader + "=> output = total;", checks: false);
        Assert.DoesNotContain(Unguarded, OperationOf(read, "Read"), StringComparison.Ordinal);

        const string Writer = "[ConcurrentWriter] static void Put(long page, in long value, ref long total) ";
        string write = Emit("", Writer + "=> total = value;", checks: false);
        Assert.Contains(Unguarded, OperationOf(write, "Upsert"), StringComparison.Ordinal);
        write = Emit("", Writer + "=> total = value / page;", checks: false);
        Assert.DoesNotContain(Unguarded, OperationOf(write, "Upsert"), StringComparison.Ordinal);
    }

    private static string RmwOf(string body, string more = "", string input = "long", bool checks = false)
    {
        string updater =
            $$"""[InPlaceUpdater] static void Add(long page, {{input}} amount, ref long total) { {{body}} }""";
        return OperationOf(Emit(more, updater, checks), "Rmw");
    }

    private static string Emit(string more, string function, bool checks) => Assert.Single(Harness.Emit(
        $$"""
        [Store(Key = typeof(long), Value = typeof(long))]
        public static partial class Clicks
        {
            {{more}}
            {{function}}
        }

        public struct Pair
        {
            public long Left;
            public long Right => throw new System.InvalidOperationException();
        }

        public class Node { public long Left; }

        public readonly struct Wide(long value)
        {
            public static long operator +(Wide left, Wide right) => throw new System.InvalidOperationException();
        }

        public static class Other
        {
            public static readonly long Seed = long.Parse("1");
            public static long Count;
            public static long Of(long amount) => amount;
        }
        """,
        checks));

    // The struct of one operation, up to the next.
    private static string OperationOf(string emitted, string name)
    {
        int start = emitted.IndexOf($"private struct {name}Operation<", StringComparison.Ordinal);
        Assert.True(start >= 0, emitted);
        int end = emitted.IndexOf("private struct ", start + 1, StringComparison.Ordinal);
        return end < 0 ? emitted[start..] : emitted[start..end];
    }
}
