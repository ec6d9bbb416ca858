using System.Text.RegularExpressions;

namespace Faster.Tests.House;

/// <summary>The documents' links hold, and nothing that should be found by them is left out.</summary>
public partial class DocumentationTests
{
    private const string Guide = "docs/README.md";

    [Fact]
    public void Every_relative_link_leads_somewhere()
    {
        string[] pages = [.. Repository.Files("docs", "*.md"), "README.md"];
        Assert.Empty(pages.SelectMany(BrokenLinks));
    }

    [Fact]
    public void Every_format_is_linked_from_the_guide()
    {
        HashSet<string> linked = [.. Links(Guide).Select(link => link.File)];
        Assert.Empty(Repository.Files("docs/formats", "*").Except(linked));
    }

    [Fact]
    public void Every_page_is_within_reach_of_the_guide()
    {
        HashSet<string> reached = [Guide];
        Queue<string> left = new(reached);
        while (left.TryDequeue(out string? page))
        {
            foreach ((string file, _) in Links(page))
            {
                if (file.EndsWith(".md", StringComparison.Ordinal) && reached.Add(file)) left.Enqueue(file);
            }
        }

        Assert.Empty(Repository.Files("docs", "*.md").Except(reached));
    }

    [Fact]
    public void The_architecture_names_each_folder_of_the_core()
    {
        string page = Repository.Read("docs/ARCHITECTURE.md");
        string[] folders = [.. Repository.Files("src/Faster.Core", "*.cs").Select(file => file.Split('/')[2])
            .Where(folder => !folder.EndsWith(".cs", StringComparison.Ordinal)).Distinct()];
        Assert.NotEmpty(folders);
        Assert.All(folders, folder => Assert.Contains($"`{folder}/`", page, StringComparison.Ordinal));
    }

    private static IEnumerable<string> BrokenLinks(string page) => Links(page)
        .Where(link => !Path.Exists(Path.Combine(Repository.Root, link.File)) || !HasHeading(link.File, link.Heading))
        .Select(link => $"{page}: {link.File}#{link.Heading}");

    private static IEnumerable<(string File, string Heading)> Links(string page)
    {
        foreach (Match match in Link().Matches(Repository.Read(page)))
        {
            string target = match.Groups["target"].Value;
            if (target.Contains("://", StringComparison.Ordinal)) continue;
            string[] parts = target.Split('#', 2);
            string folder = Path.Combine(Repository.Root, Path.GetDirectoryName(page)!);
            string file = parts[0].Length == 0 ? page
                : Path.GetRelativePath(
                    Repository.Root, Path.GetFullPath(Path.Combine(folder, parts[0]))).Replace('\\', '/');
            yield return (file, parts.Length > 1 ? parts[1] : "");
        }
    }

    private static bool HasHeading(string file, string heading) => heading.Length == 0
        || Heading().Matches(Repository.Read(file)).Any(match => Anchor(match.Groups["text"].Value) == heading);

    private static string Anchor(string heading) =>
        NotInAnchors().Replace(heading.Trim().ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^#+ (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchors();
}
