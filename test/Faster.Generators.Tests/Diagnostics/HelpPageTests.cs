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
        Assert.Equal($"docs/reference/diagnostics/{id}.md", descriptor.HelpLinkUri);
        string page = File.ReadAllText(Path.Combine(Root(), descriptor.HelpLinkUri));
        Assert.StartsWith($"# {id}: {descriptor.Title}", page, StringComparison.Ordinal);
        Assert.Equal(page[(page.IndexOf('\n', StringComparison.Ordinal) + 1)..].Trim(), $"{descriptor.Description}");
        string project = File.ReadAllText(Path.Combine(Root(), "src/Faster.Core/Faster.Core.csproj"));
        // Packing adds the folders below docs/ to this path by itself.
        Assert.Contains("../../docs/**/*.md;", project, StringComparison.Ordinal);
        Assert.Contains("\" Pack=\"true\" PackagePath=\"docs/\"", project, StringComparison.Ordinal);
        string releases = File.ReadAllText(Path.Combine(Root(), "src/Faster.Generators/AnalyzerReleases.Unshipped.md"));
        Assert.Contains($"{id} | Faster | {descriptor.DefaultSeverity} | {descriptor.Title}\n", releases);
    }

    private static IEnumerable<DiagnosticDescriptor> All() => typeof(Descriptors)
        .GetFields(BindingFlags.Static | BindingFlags.Public).Select(f => (DiagnosticDescriptor)f.GetValue(null)!);

    private static string Root([CallerFilePath] string file = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, "../../.."));
}
