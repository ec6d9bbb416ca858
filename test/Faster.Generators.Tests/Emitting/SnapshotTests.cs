using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Emitting;

/// <summary>
/// What is emitted for each kind of store, kept in Snapshots. Run with <c>UPDATE_SNAPSHOTS=1</c> to rewrite the
/// snapshots, and read the difference before committing it.
/// </summary>
public class SnapshotTests
{
    [Theory]
    [MemberData(nameof(Sources.All), MemberType = typeof(Sources))]
    public void Emitted_code_is_as_recorded(string name, string source)
    {
        string emitted = Unversioned(Assert.Single(Harness.Emit(source)));
        string path = PathOf(name);
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1") File.WriteAllText(path, emitted);
        Assert.True(File.Exists(path), $"There is no snapshot {path}; run once with UPDATE_SNAPSHOTS=1.");
        Assert.Equal(File.ReadAllText(path).ReplaceLineEndings("\n"), emitted);
    }

    [Theory]
    [MemberData(nameof(Sources.All), MemberType = typeof(Sources))]
    public void Emitted_code_compiles_without_a_warning(string name, string source)
    {
        Assert.NotEmpty(name);
        string[] problems = Harness.Problems(Harness.BuildStrict(source));
        Assert.True(problems.Length == 0, string.Join("\n", problems));
    }

    [Fact]
    public void A_class_of_one_function_has_at_most_700_lines_of_120_columns()
    {
        string[] lines = Assert.Single(Harness.Emit(Sources.Clicks)).TrimEnd().Split('\n');
        Assert.InRange(lines.Length, 500, 700);
        Assert.Empty(lines.Where(line => line.Length > 120));
    }

    [Fact]
    public void Emitted_code_names_the_version_of_the_generator()
    {
        Version version = typeof(StoreGenerator).Assembly.GetName().Version!;
        Assert.NotEqual(new Version(0, 0, 0, 0), version);
        string attribute = $"GeneratedCode(\"Faster.Generators\", \"{version.ToString(fieldCount: 3)}\")";
        Assert.Contains(attribute, Assert.Single(Harness.Emit(Sources.Clicks)), StringComparison.Ordinal);
    }

    // A new version changes no snapshot.
    private static string Unversioned(string emitted) => Regex.Replace(
        emitted, """(GeneratedCode\("Faster\.Generators", ")[^"]+""", "$1(version)");

    private static string PathOf(string name, [CallerFilePath] string file = "") =>
        Path.Combine(Path.GetDirectoryName(file)!, "../Snapshots", name + ".verified.cs");
}
