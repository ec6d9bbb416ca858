using System.Text.RegularExpressions;

namespace Faster.Tests.House;

/// <summary>The links of the pages lead somewhere, every page is linked, and what pages name exists.</summary>
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
    public void The_architecture_names_each_folder_of_the_core_and_each_project()
    {
        const string Core = "src/Faster.Core/";
        string page = Repository.Read("docs/ARCHITECTURE.md");
        string[] folders = [.. Repository.Files(Core, "*.cs").Select(FolderOf)
            .Where(folder => folder.Length > Core.Length).Select(folder => folder[Core.Length..] + "/").Distinct()];
        string[] projects = [.. Repository.CodeFolders.SelectMany(folder => Repository.Files(folder, "*.csproj"))
            .Select(FolderOf).Where(folder => !folder.EndsWith("Tests", StringComparison.Ordinal))];
        Assert.NotEmpty(folders);
        Assert.NotEmpty(projects);
        Assert.All(folders.Concat(projects), name => Assert.Contains($"`{name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void Every_file_that_a_table_of_files_names_is_there()
    {
        string[] files = [.. Repository.Files("src", "*.cs").Concat(Repository.Files("test", "*.cs"))];
        string[] named = [.. Repository.Files("docs", "*.md").SelectMany(FilesInTables).Distinct()];
        Assert.NotEmpty(named);
        Assert.Empty(named.Where(name => !files.Any(
            file => file.EndsWith($"/{name}.cs", StringComparison.Ordinal))));
    }

    [Fact]
    public void Every_path_that_a_page_names_is_there()
    {
        string[] pages = [.. Repository.Files("docs", "*.md"), "README.md"];
        string[] paths = [.. pages.SelectMany(page => Quoted().Matches(Repository.Read(page)))
            .Select(match => match.Groups["name"].Value)
            .Where(name => name.Contains('/', StringComparison.Ordinal) && name.AsSpan().IndexOfAny(" *") < 0)
            .Where(name => Repository.CodeFolders.Contains(name.Split('/')[0])).Distinct()];
        Assert.NotEmpty(paths);
        Assert.Empty(paths.Where(path => !Path.Exists(Path.Combine(Repository.Root, path))));
    }

    [Theory]
    [InlineData(typeof(StoreOptions), "options.md", "## StoreOptions")]
    [InlineData(typeof(TieredOptions), "options.md", "## TieredOptions")]
    [InlineData(typeof(HotRingOptions), "options.md", "## HotRingOptions")]
    [InlineData(typeof(ScanOptions), "options.md", "## ScanOptions")]
    [InlineData(typeof(SubscribeOptions), "options.md", "## SubscribeOptions")]
    [InlineData(typeof(LogStoreOptions.ExpertOptions), "options.md", "### Expert options")]
    [InlineData(typeof(EngineStatistics), "statistics.md", "## Of every engine")]
    [InlineData(typeof(StoreStatistics), "statistics.md", "## The log")]
    [InlineData(typeof(TieredStatistics), "statistics.md", "## Two tiers")]
    [InlineData(typeof(HotRingStatistics), "statistics.md", "## HotRing")]
    public void Every_option_and_figure_is_in_the_reference(Type type, string page, string heading)
    {
        string text = Repository.Read("docs/reference/" + page);
        string section = text[text.IndexOf(heading + "\n", StringComparison.Ordinal)..];
        // The figures of a store of the engine FASTER have several sections.
        string next = type == typeof(StoreStatistics) ? "\n## Results of single calls\n" : "\n## ";
        int end = section.IndexOf(next, StringComparison.Ordinal);
        string[] named = [.. (end < 0 ? section : section[..end]).Split('\n')
            .Where(static line => line.StartsWith('|'))
            .SelectMany(line => Quoted().Matches(line.Split('|')[1])).Select(match => match.Groups["name"].Value)];
        // The figures of every engine have a section of their own.
        Assert.Empty(type.GetProperties()
            .Where(p => p.DeclaringType != typeof(EngineStatistics) || type == typeof(EngineStatistics))
            .Select(static p => p.Name).Except(named));
        Type[] known = type.IsAssignableTo(typeof(LogStoreOptions))
            ? [type, typeof(LogStoreOptions.ExpertOptions)]
            : [type];
        Assert.Empty(named.Except(known.SelectMany(static t => t.GetMembers()).Select(static m => m.Name)));
    }

    private static string FolderOf(string file) => Path.GetDirectoryName(file)!.Replace('\\', '/');

    // The first column of each table with the heading «file».
    private static IEnumerable<string> FilesInTables(string page)
    {
        bool isOfFiles = false;
        foreach (string line in Repository.Read(page).Split('\n'))
        {
            if (line.StartsWith("| file |", StringComparison.Ordinal)) isOfFiles = true;
            if (!line.StartsWith('|')) isOfFiles = false;
            if (!isOfFiles) continue;
            foreach (Match match in Quoted().Matches(line.Split('|')[1])) yield return match.Groups["name"].Value;
        }
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

    [GeneratedRegex("`(?<name>[^`\\n]+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"^#+ (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchors();
}
