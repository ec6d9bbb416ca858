using System.Runtime.CompilerServices;
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
        string emitted = Assert.Single(Harness.Emit(source));
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

    private static string PathOf(string name, [CallerFilePath] string file = "") =>
        Path.Combine(Path.GetDirectoryName(file)!, "../Snapshots", name + ".verified.cs");
}
