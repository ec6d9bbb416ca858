using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Faster.Tests.House;

/// <summary>The rules of tidiness, each for one C# file: every breach is one line that names the place.</summary>
internal static partial class TidyRules
{
    private const int MaxColumns = 120;
    private const int MaxFunctionLines = 70;
    private const int MaxFileLines = 400;

    /// <summary>Checks a file against all rules.</summary>
    public static IEnumerable<string> Breaches(string file, string text)
    {
        string[] lines = text.Split('\n');
        SyntaxNode root = CSharpSyntaxTree.ParseText(text).GetRoot();
        return [.. LongLines(file, lines), .. LongFile(file, lines), .. LongFunctions(file, root), .. Gotos(file, root),
            .. FileName(file, root), .. Leftovers(file, lines), .. Sleeps(file, root)];
    }

    private static IEnumerable<string> LongLines(string file, string[] lines) => lines.Index()
        .Where(line => line.Item.TrimEnd('\r').Length > MaxColumns)
        .Select(line => $"{file}:{line.Index + 1}: {line.Item.Length} columns, more than {MaxColumns}");

    private static IEnumerable<string> LongFile(string file, string[] lines)
    {
        int count = lines.Length - (lines[^1].Length == 0 ? 1 : 0);
        if (file.StartsWith("src/", StringComparison.Ordinal) && count > MaxFileLines
            && !TidyExceptions.LongFiles.Contains(file))
            yield return $"{file}: {count} lines, more than {MaxFileLines}; which second thing does it do?";
    }

    private static IEnumerable<string> LongFunctions(string file, SyntaxNode root) => root.DescendantNodes()
        .Where(node => node is BaseMethodDeclarationSyntax or LocalFunctionStatementSyntax or AccessorDeclarationSyntax)
        .Select(node => (Node: node, Lines: LinesOf(node)))
        .Where(function => function.Lines > MaxFunctionLines)
        .Select(function =>
            $"{At(file, function.Node)}: a function of {function.Lines} lines, more than {MaxFunctionLines}");

    private static IEnumerable<string> Gotos(string file, SyntaxNode root) => root.DescendantNodes()
        .Where(node => node is GotoStatementSyntax)
        .Select(node => $"{At(file, node)}: goto");

    // Program.cs of top-level statements, and files of assembly attributes, declare no type.
    private static IEnumerable<string> FileName(string file, SyntaxNode root)
    {
        string expected = Path.GetFileNameWithoutExtension(file).Split('.')[0];
        string[] types = [.. root.DescendantNodes()
            .Where(node => node is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax)
            .Select(node => node is BaseTypeDeclarationSyntax type
                ? type.Identifier.Text
                : ((DelegateDeclarationSyntax)node).Identifier.Text)];
        if (types.Length > 0 && !types.Contains(expected)
            && !root.DescendantNodes().OfType<GlobalStatementSyntax>().Any())
            yield return $"{file}: declares no type {expected}, but {string.Join(", ", types.Take(3))}";
    }

    private static IEnumerable<string> Leftovers(string file, string[] lines) => lines.Index()
        .Where(line => !file.StartsWith("test/Faster.Core.Tests/House/", StringComparison.Ordinal)
            && Leftover().IsMatch(line.Item))
        .Select(line => $"{file}:{line.Index + 1}: {Leftover().Match(line.Item).Value}");

    private static IEnumerable<string> Sleeps(string file, SyntaxNode root) => root.DescendantNodes()
        .OfType<MemberAccessExpressionSyntax>()
        .Where(access => file.StartsWith("test/", StringComparison.Ordinal)
            && !TidyExceptions.WaitingFiles.Contains(file) && LetsTimePass(access))
        .Select(access => $"{At(file, access)}: a test that sleeps");

    private static bool LetsTimePass(MemberAccessExpressionSyntax access)
    {
        string type = access.Expression.ToString().Split('.')[^1];
        return (type, access.Name.Identifier.Text) is ("Thread", "Sleep") or ("Task", "Delay");
    }

    private static int LinesOf(SyntaxNode node)
    {
        // Attributes are data, such as the rows of a theory, and not the function's length.
        int start = node.ChildNodesAndTokens().First(part => !part.IsKind(SyntaxKind.AttributeList)).SpanStart;
        FileLinePositionSpan span = node.SyntaxTree.GetLineSpan(TextSpan.FromBounds(start, node.Span.End));
        return span.EndLinePosition.Line - span.StartLinePosition.Line + 1;
    }

    private static string At(string file, SyntaxNode node) =>
        $"{file}:{node.SyntaxTree.GetLineSpan(node.Span).StartLinePosition.Line + 1}";

    [GeneratedRegex(@"\b(TODO|FIXME|HACK)\b|\bNotImplementedException\b")]
    private static partial Regex Leftover();
}
