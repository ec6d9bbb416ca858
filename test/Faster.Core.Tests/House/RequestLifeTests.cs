using System.Text.RegularExpressions;

namespace Faster.Tests.House;

/// <summary>
/// The hops of docs/internals/life-of-a-request.md: the files that a row names exist, and the functions that it names
/// occur in them, or in the type that stands before the function's name.
/// </summary>
public partial class RequestLifeTests
{
    private const string Page = "docs/internals/life-of-a-request.md";
    private const string Emitted = "test/Faster.Generators.Tests/Snapshots";

    [Fact]
    public void Each_hop_names_files_and_functions_that_exist()
    {
        Hop[] hops = [.. HopsOf(Repository.Read(Page))];
        Assert.True(hops.Length > 40, "The scan found hardly any hop: it looks in the wrong place.");
        string[] breaches = [.. hops.SelectMany(Breaches)];
        Assert.True(breaches.Length == 0, $"{breaches.Length} breaches:\n{string.Join('\n', breaches)}");
    }

    [Theory]
    [InlineData("| 1 | `LogSessions/HashSession` | `TryQuiet` | |", null)]
    [InlineData("| `LogSessions/OperationRunner` | `Suspend` | |", null)]
    [InlineData("| 1 | `Engines/Faster/FasterSession` | `TryAtNight` | |", "TryAtNight")]
    [InlineData("| 1 | `Store/NoSession` | `TryQuiet` | |", "NoSession")]
    [InlineData("| 1 | `Engines/Faster/FasterSession` | `EpochTable.Leave` | |", null)]
    [InlineData("| 1 | `Engines/Faster/FasterSession` | `EpochTable.TryQuiet` | |", "EpochTable.TryQuiet")]
    [InlineData("| 1 | `Engines/Faster/FasterSession` | | `EpochTable`: `Lift` |", null)]
    public void A_hop_that_leads_nowhere_is_found(string row, string? what)
    {
        string[] breaches = [.. HopsOf("| # | file | functions | what happens |\n" + row).SelectMany(Breaches)];
        if (what is null) Assert.Empty(breaches);
        else Assert.Contains(what, Assert.Single(breaches), StringComparison.Ordinal);
    }

    // A row has its number first in most tables.
    private static IEnumerable<Hop> HopsOf(string page) => page.Split('\n')
        .Where(line => line.StartsWith("| ", StringComparison.Ordinal))
        .Where(line => !line.Contains("| file |", StringComparison.Ordinal))
        .Select(line => line.Split('|', StringSplitOptions.TrimEntries)[1..^1])
        .Select(cells => cells.Length == 4 ? cells[1..] : cells)
        .Select(cells => new Hop(Quoted(cells[0]), Quoted(cells[1])));

    private static string[] Quoted(string cell) => [.. Code().Matches(cell).Select(match => match.Groups[1].Value)];

    private static IEnumerable<string> Breaches(Hop hop)
    {
        string[] files = [.. hop.Files.SelectMany(FilesOf)];
        if (hop.Files.Length == 0) files = [.. Repository.Files(Emitted, "*.cs")];
        foreach (string file in hop.Files.Where(static file => FilesOf(file).Length == 0))
            yield return $"{file} does not exist.";
        if (files.Length == 0) yield break;
        foreach (string function in hop.Functions)
        {
            string[] parts = function.Split('.');
            bool isQualified = parts.Length == 2 && hop.Files.Length != 0;
            string[] where = isQualified ? [.. Sources.Where(file => IsOf(file, parts[0]))] : files;
            if (!where.Any(file => Declares(Repository.Read(file), parts[^1])))
                yield return $"{function} is in none of {string.Join(", ", isQualified ? [parts[0]] : hop.Files)}.";
        }
    }

    private static readonly string[] Sources = [.. Repository.Files("src/Faster.Core", "*.cs")];

    private static string[] FilesOf(string name) =>
        [.. Sources.Where(file => IsOf(file, name) && file.Contains("/" + name, StringComparison.Ordinal))];

    // A type's parts lie in Type.cs and Type.Part.cs.
    private static bool IsOf(string file, string type) =>
        Path.GetFileName(file).StartsWith(Path.GetFileName(type) + ".", StringComparison.Ordinal);

    private static bool Declares(string text, string name) =>
        Regex.IsMatch(text, $@"(?<![.\w]){name}(?:<[^>()]*>)?\(");

    private sealed record Hop(string[] Files, string[] Functions);

    [GeneratedRegex("`([A-Za-z./]+)`")]
    private static partial Regex Code();
}
