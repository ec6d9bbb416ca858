using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Tests.House;

/// <summary>
/// The rules of the English, for comments and pages: every breach is one line that names the place.
/// docs/internals/glossary.md decides terms; the words refused here are translations that it replaces.
/// </summary>
internal static partial class ProseRules
{
    private static readonly string[] Particles =
        ["the", "a", "an", "of", "its", "is", "are", "that", "this", "to", "in", "and", "or", "it"];

    /// <summary>Checks the comments of a C# file.</summary>
    public static IEnumerable<string> OfCode(string file, string text)
    {
        SyntaxNode root = CSharpSyntaxTree.ParseText(text).GetRoot();
        bool isShipped = file.StartsWith("src/", StringComparison.Ordinal);
        return [.. Comments(root).SelectMany(comment => Breaches(file, comment.Line, comment.Text)),
            .. isShipped ? EmptySummaries(file, root) : []];
    }

    /// <summary>Checks a page: all its text except code and quotations.</summary>
    public static IEnumerable<string> OfPage(string file, string text)
    {
        bool isCode = false;
        List<(int Line, string Text)> paragraphs = [];
        foreach ((int index, string line) in text.Split('\n').Index())
        {
            if (line.TrimStart().StartsWith("```", StringComparison.Ordinal)) isCode = !isCode;
            else if (!isCode) paragraphs.Add((index + 1, Quotation().Replace(InlineCode().Replace(line, "`"), "“”")));
        }

        return paragraphs.SelectMany(line =>
            Breaches(file, line.Line, line.Text.TrimStart('#', '>', '-', '*', '|', ' ')));
    }

    /// <summary>Checks the names of the tests in a C# file, of which underscores part the words.</summary>
    public static IEnumerable<string> OfTestNames(string file, string text) =>
        CSharpSyntaxTree.ParseText(text).GetRoot().DescendantNodes().OfType<MethodDeclarationSyntax>()
            .Where(IsTest)
            .Select(test => (Line: LineOf(test), Name: test.Identifier.Text.Replace('_', ' ')))
            .SelectMany(test => RefusedWords().Matches(test.Name).Concat(RefusedInNames().Matches(test.Name))
                .Select(word => $"{file}:{test.Line}: “{word.Value}” is refused in “{test.Name}”"));

    private static bool IsTest(MethodDeclarationSyntax method) => method.AttributeLists
        .SelectMany(static list => list.Attributes).Select(static attribute => attribute.Name.ToString())
        .Any(static name => name.EndsWith("Fact", StringComparison.Ordinal)
            || name.EndsWith("Theory", StringComparison.Ordinal));

    // Consecutive lines of one comment are joined, so that a sentence that is wrapped is seen as one.
    private static IEnumerable<(int Line, string Text)> Comments(SyntaxNode root)
    {
        string text = "";
        int first = 0, last = -1;
        foreach (SyntaxTrivia trivia in root.DescendantTrivia().Where(IsComment))
        {
            int start = trivia.GetLocation().GetLineSpan().StartLinePosition.Line;
            foreach ((int index, string line) in trivia.ToFullString().TrimEnd().Split('\n').Index())
            {
                string words = Marks().Replace(line.Trim(), "");
                if (start + index == last + 1) text += " " + words;
                else
                {
                    if (text.Length != 0) yield return (first, text);
                    (first, text) = (start + index + 1, words);
                }

                last = start + index;
            }
        }

        if (text.Length != 0) yield return (first, text);
    }

    private static bool IsComment(SyntaxTrivia trivia) => trivia.Kind() is SyntaxKind.SingleLineCommentTrivia
        or SyntaxKind.MultiLineCommentTrivia or SyntaxKind.SingleLineDocumentationCommentTrivia
        or SyntaxKind.MultiLineDocumentationCommentTrivia;

    private static IEnumerable<string> Breaches(string file, int line, string text)
    {
        string prose = Space().Replace(Element().Replace(Value().Replace(text, "x"), ". "), " ").TrimStart('.', ' ');
        foreach (Match word in RefusedWords().Matches(prose))
            yield return $"{file}:{line}: “{word.Value}” is refused; see docs/internals/glossary.md";
        foreach (Match sentence in RefusedStarts().Matches(prose))
        {
            if (!sentence.Value.EndsWith('?'))
                yield return $"{file}:{line}: a sentence begins with “{sentence.Groups[1].Value}”";
        }
    }

    // A summary of a public member that has no word but those of the member's name.
    private static IEnumerable<string> EmptySummaries(string file, SyntaxNode root) => root.DescendantNodes()
        .OfType<MemberDeclarationSyntax>()
        .Where(member => member.Modifiers.Any(SyntaxKind.PublicKeyword))
        .Select(member => (Member: member, Name: NameOf(member), Summary: SummaryOf(member)))
        .Where(member => member.Name.Length != 0 && member.Summary.Length != 0)
        .Where(member => SaysNothing(member.Name, member.Summary))
        .Select(member => $"{file}:{LineOf(member.Member)}: “{member.Summary}” says no more than {member.Name}");

    private static bool SaysNothing(string name, string summary)
    {
        IEnumerable<string> words = Word().Matches(Value().Replace(summary, "x")).Select(word => word.Value)
            .Except(Particles, StringComparer.OrdinalIgnoreCase).Select(Stem);
        HashSet<string> named = [.. NamePart().Matches(name).Select(part => Stem(part.Value))];
        return Word().Count(summary) <= 1 || words.All(named.Contains);
    }

    private static string Stem(string word) => Ending().Replace(word.ToLowerInvariant(), "");

    private static string SummaryOf(MemberDeclarationSyntax member)
    {
        string comment = string.Join(' ', member.GetLeadingTrivia().Where(IsComment)
            .SelectMany(trivia => trivia.ToFullString().Split('\n')).Select(line => Marks().Replace(line.Trim(), "")));
        return Summary().Match(comment).Groups[1].Value.Trim();
    }

    private static string NameOf(MemberDeclarationSyntax member) => member switch
    {
        BaseTypeDeclarationSyntax type => type.Identifier.Text,
        MethodDeclarationSyntax method => method.Identifier.Text,
        PropertyDeclarationSyntax property => property.Identifier.Text,
        EventDeclarationSyntax raised => raised.Identifier.Text,
        BaseFieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier.Text,
        _ => "",
    };

    private static int LineOf(SyntaxNode node) =>
        node.SyntaxTree.GetLineSpan(node.Span).StartLinePosition.Line + 1;

    [GeneratedRegex(
        @"\b(mend(?:s|ed|ing)?|sown|for ever|giv(?:en|es?) up|rooms?|he|his|him|himself|(?:is|are) to be)\b",
        RegexOptions.IgnoreCase)]
    private static partial Regex RefusedWords();

    [GeneratedRegex(
        @"^(?:Who|Whoever|Whom|What|Whatever|Whichever)\b|\b(?:somebody|nobody|anew|those who|neighbours?)\b",
        RegexOptions.IgnoreCase)]
    private static partial Regex RefusedInNames();

    // At the start of a text, or after the end of a sentence.
    [GeneratedRegex(@"(?:^|(?<=[.!?:;|] ))(Who|Whoever|Whom|Where those|How long lives)\b[^.?!]*[.?!]?")]
    private static partial Regex RefusedStarts();

    [GeneratedRegex("^(///?|/\\*+|\\*+/?) ?|\\*/$")]
    private static partial Regex Marks();

    [GeneratedRegex("<(?:see|seealso|paramref|typeparamref)\\b[^>]*/>|<c>.*?</c>|`[^`]*`")]
    private static partial Regex Value();

    [GeneratedRegex("</?[a-zA-Z][^>]*>")]
    private static partial Regex Element();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Space();

    [GeneratedRegex("<summary>(.*?)</summary>")]
    private static partial Regex Summary();

    [GeneratedRegex("`[^`]*`")]
    private static partial Regex InlineCode();

    [GeneratedRegex("“[^”]*”|\"[^\"]*\"")]
    private static partial Regex Quotation();

    [GeneratedRegex(@"\p{L}+")]
    private static partial Regex Word();

    [GeneratedRegex(@"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+")]
    private static partial Regex NamePart();

    [GeneratedRegex("(ies|es|ed|e|s|ing|d)$")]
    private static partial Regex Ending();
}
