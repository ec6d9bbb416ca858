using System.Text.RegularExpressions;

namespace Faster.Tests.House;

/// <summary>A type's namespace is its folder, so that its name says where it is and what its neighbors are.</summary>
public sealed partial class NamespaceTests
{
    private const string Source = "src/Faster.Core/";

    private static readonly string[] _roots = [Source, "test/Faster.Core.Tests/", "test/Faster.Probed/"];

    /// <summary>
    /// In src, two namespaces are for readers from outside: `Faster` has the public types that a user writes, and
    /// `Faster.Contracts` what emitted code and engines agree on, whatever the folder below Contracts. The engine
    /// FASTER is in `Faster.Engines`: another namespace of the name Faster would hide the library's own.
    /// </summary>
    [Fact]
    public void Namespaces_are_folders()
    {
        string[] files = [.. Repository.CodeFiles().Where(static file => RootOf(file) is not null)];
        Assert.True(files.Length > 500, "The scan found hardly any file: it looks in the wrong place.");
        string[] breaches = [.. files.Select(static file => BreachIn(file, Repository.Read(file))).OfType<string>()];
        Assert.True(breaches.Length == 0, $"{breaches.Length} breaches:\n{string.Join('\n', breaches)}");
    }

    [Theory]
    [InlineData("src/Faster.Core/Log/A.cs", "namespace Faster.Log;\ninternal class A;", false)]
    [InlineData("src/Faster.Core/Log/A.cs", "namespace Faster;\ninternal class A;", true)]
    [InlineData("src/Faster.Core/Log/A.cs", "namespace Faster;\npublic class A;", false)]
    [InlineData("src/Faster.Core/Log/Reads/A.cs", "namespace Faster.Log;\npublic class A;", true)]
    [InlineData("src/Faster.Core/Contracts/Data/A.cs", "namespace Faster.Contracts;\ninternal class A;", false)]
    [InlineData("test/Faster.Core.Tests/Log/A.cs", "namespace Faster.Tests.Store;\ninternal class A;", true)]
    [InlineData("test/Faster.Core.Tests/Log/A.cs", "namespace Faster.Testing;\ninternal class A;", false)]
    [InlineData("test/Faster.Core.Tests/Assembly.cs", "[assembly: A]", false)]
    public void The_rule_finds_its_breaches(string file, string text, bool isBreach) =>
        Assert.Equal(isBreach, BreachIn(file, text) is not null);

    private static string? RootOf(string file) =>
        Array.Find(_roots, root => file.StartsWith(root, StringComparison.Ordinal));

    private static string? BreachIn(string file, string text)
    {
        if (NamespaceOf().Match(text) is not { Success: true } match) return null;
        string actual = match.Groups[1].Value;
        bool isSource = file.StartsWith(Source, StringComparison.Ordinal);
        string folder = Path.GetDirectoryName(file[RootOf(file)!.Length..])!.Replace('/', '.')
            .Replace("Engines.Faster", "Engines", StringComparison.Ordinal);
        string[] allowed = isSource
            ? PublicType().IsMatch(text) ? [$"Faster.{folder}", "Faster", "Faster.Devices"] : [$"Faster.{folder}"]
            : [$"Faster.Tests.{folder}", "Faster.Testing"]; // what other test projects use, too
        if (isSource && folder.StartsWith("Contracts", StringComparison.Ordinal))
            allowed = ["Faster", "Faster.Contracts"];
        return allowed.Contains(actual) ? null : $"{file}: {actual} instead of {allowed[0]}";
    }

    [GeneratedRegex(@"^namespace ([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex NamespaceOf();

    [GeneratedRegex(@"^public ", RegexOptions.Multiline)]
    private static partial Regex PublicType();
}
