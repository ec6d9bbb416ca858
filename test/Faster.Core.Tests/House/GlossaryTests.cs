using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Tests.House;

/// <summary>The glossary lists each term once, and code uses none of the words that its terms replaced.</summary>
public partial class GlossaryTests
{
    private const string Page = "docs/internals/glossary.md";

    private static readonly string[] Replaced =
        ["Shelf", "Ledger", "Keeper", "Upkeep", "Raiser", "Garbage", "Patience", "Fate", "Pump"];

    [Fact]
    public void Each_term_is_listed_once()
    {
        string[] terms = Terms(Repository.Read(Page));
        Assert.True(terms.Length > 40, "The scan found hardly any term: it looks in the wrong place.");
        Assert.Empty(Twice(terms));
    }

    [Fact]
    public void No_identifier_of_src_has_a_replaced_word()
    {
        string[] files = [.. Repository.Files("src", "*.cs")];
        Assert.True(files.Length > 20, "The scan found hardly any file: it looks in the wrong place.");
        string[] breaches = [.. files.SelectMany(file => Breaches(file, Repository.Read(file)))];
        Assert.True(breaches.Length == 0, $"{breaches.Length} breaches:\n{string.Join('\n', breaches)}");
    }

    [Fact]
    public void A_term_that_is_listed_twice_is_found() => Assert.Equal(["join"], Twice(Terms(
        "| term | meaning |\n|---|---|\n| split, join | Parts. |\n| tag | Bits. |\n\n| Join | Unites. |")));

    [Theory]
    [InlineData("class SnapshotShelf;", "Shelf")]
    [InlineData("class A { void RunPump() { } }", "Pump")]
    [InlineData("class A { int _ledgers; }", "Ledger")]
    [InlineData("class A { void F(int fateOf) { } }", "Fate")]
    public void A_replaced_word_is_found(string text, string word) =>
        Assert.Contains(word, Assert.Single(Breaches("src/A.cs", text)), StringComparison.Ordinal);

    [Fact]
    public void Words_that_contain_a_replaced_word_are_left_alone() =>
        Assert.Empty(Breaches("src/A.cs", "class Fateful { int bookkeeper; } // a shelf"));

    private static string[] Terms(string page) =>
    [
        .. page.Split('\n').Where(line => line.StartsWith("| ", StringComparison.Ordinal))
            .Select(line => line.Split('|')[1].Trim()).Where(cell => cell != "term")
            .SelectMany(cell => cell.Split(", ")),
    ];

    private static IEnumerable<string> Twice(IEnumerable<string> terms) => terms
        .GroupBy(term => term.ToLowerInvariant()).Where(group => group.Count() > 1).Select(group => group.Key);

    private static IEnumerable<string> Breaches(string file, string text) => CSharpSyntaxTree.ParseText(text).GetRoot()
        .DescendantTokens().Where(token => token.IsKind(SyntaxKind.IdentifierToken))
        .Select(token => (Token: token, Word: ReplacedIn(token.Text)))
        .Where(found => found.Word is not null)
        .Select(found => $"{file}:{found.Token.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: "
            + $"{found.Token.Text} has the replaced word {found.Word}; see {Page}");

    private static string? ReplacedIn(string identifier) =>
        Replaced.FirstOrDefault(word => NamePart().Matches(identifier).Any(part => IsWord(part.Value, word)));

    private static bool IsWord(string part, string word) => part.Equals(word, StringComparison.OrdinalIgnoreCase)
        || part.Equals(word + "s", StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex(@"\p{Lu}?\p{Ll}+|\p{Lu}+")]
    private static partial Regex NamePart();
}
