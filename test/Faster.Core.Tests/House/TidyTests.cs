namespace Faster.Tests.House;

/// <summary>Checks the style of the code.</summary>
public class TidyTests
{
    [Fact]
    public void All_code_is_tidy()
    {
        string[] files = [.. Repository.CodeFiles()];
        Assert.True(files.Length > 20, "The scan found hardly any file: it looks in the wrong place.");
        string[] breaches = [.. files.SelectMany(file => TidyRules.Breaches(file, Repository.Read(file)))];
        Assert.True(breaches.Length == 0, $"{breaches.Length} breaches:\n{string.Join('\n', breaches)}");
    }

    [Fact]
    public void Exceptions_name_files_that_exist() =>
        Assert.All(TidyExceptions.LongFiles.Concat(TidyExceptions.WaitingFiles), file =>
            Assert.True(File.Exists(Path.Combine(Repository.Root, file)), file));

    [Theory]
    [InlineData("src/A.cs", "class A { void F() { goto x; x: ; } }", "goto")]
    [InlineData("src/A.cs", "class B;", "declares no type A")]
    [InlineData("src/A.cs", "class A; // TODO more", "TODO")]
    [InlineData("src/A.cs", "class A { void F() => throw new System.NotImplementedException(); }", "NotImplemented")]
    [InlineData("test/A.cs", "class A { void F() => System.Threading.Thread.Sleep(1); }", "sleeps")]
    [InlineData("test/A.cs", "class A { Task F() => Task.Delay(1); }", "sleeps")]
    public void Each_rule_finds_its_breach(string file, string text, string breach) =>
        Assert.Contains(breach, Assert.Single(TidyRules.Breaches(file, text)), StringComparison.Ordinal);

    [Fact]
    public void Length_rules_find_their_breaches()
    {
        string column = "class A; //" + new string('x', 120);
        Assert.Contains("columns", Assert.Single(TidyRules.Breaches("src/A.cs", column)), StringComparison.Ordinal);
        string function = "class A { void F()\n{" + new string('\n', 70) + "} }";
        Assert.Contains(
            "function of", Assert.Single(TidyRules.Breaches("src/A.cs", function)), StringComparison.Ordinal);
        string file = "class A;" + new string('\n', 401);
        Assert.Contains("second thing", Assert.Single(TidyRules.Breaches("src/A.cs", file)), StringComparison.Ordinal);
        Assert.Empty(TidyRules.Breaches("src/A.Part.cs", "partial class A;\n"));
    }
}
