using System.Reflection;
using System.Runtime.CompilerServices;
using Faster.Generators.Diagnostics;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Diagnostics;

public class HelpPageTests
{
    public static TheoryData<string> Ids => [.. All().Select(d => d.Id)];

    [Theory]
    [MemberData(nameof(Ids))]
    public void Every_diagnostic_has_a_help_page_and_a_line_in_the_release_file(string id)
    {
        DiagnosticDescriptor descriptor = All().Single(d => d.Id == id);
        Assert.Equal("", descriptor.HelpLinkUri); // editors open absolute addresses only
        string page = File.ReadAllText(Path.Combine(Root(), $"docs/reference/diagnostics/{id}.md"));
        Assert.StartsWith($"# {id}: {descriptor.Title}", page, StringComparison.Ordinal);
        string text = page[(page.IndexOf('\n', StringComparison.Ordinal) + 1)..].Trim();
        Assert.True(text.Length > 100, text);
        Assert.Equal(
            $"{text}\n\nThis is docs/reference/diagnostics/{id}.md of the package Faster.Stores.",
            $"{descriptor.Description}");
        string project = File.ReadAllText(Path.Combine(Root(), "src/Faster.Core/Faster.Core.csproj"));
        // Packing adds the folders below docs/ to this path by itself.
        Assert.Contains("../../docs/**/*.md;", project, StringComparison.Ordinal);
        Assert.Contains("\" Pack=\"true\" PackagePath=\"docs/\"", project, StringComparison.Ordinal);
        string releases = File.ReadAllText(Path.Combine(Root(), "src/Faster.Generators/AnalyzerReleases.Unshipped.md"));
        Assert.Contains($"{id} | Faster | {descriptor.DefaultSeverity} | {descriptor.Title}\n", releases);
    }

    private static IEnumerable<DiagnosticDescriptor> All() => typeof(Descriptors)
        .GetFields(BindingFlags.Static | BindingFlags.Public)
        .Select(f => f.GetValue(null)).OfType<DiagnosticDescriptor>();

    private static string Root([CallerFilePath] string file = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, "../../.."));
}
