namespace Faster.Tests.House;

/// <summary>Checks the English of comments, test names, emitted code and pages.</summary>
public class ProseTests
{
    private static readonly string[] Snapshots =
        [.. Repository.Files("test/Faster.Generators.Tests/Snapshots", "*.verified.cs")];

    private static readonly string[] Pages =
    [
        .. Repository.Files("docs", "*.md"), .. Repository.Files("samples", "README.md"), "README.md",
        "src/Faster.Core/PACKAGE.md",
    ];

    [Fact]
    public void All_comments_are_plain_English()
    {
        string[] files = [.. Repository.CodeFiles()];
        Assert.True(files.Length > 20, "The scan found hardly any file: it looks in the wrong place.");
        AssertNone(files.SelectMany(file => ProseRules.OfCode(file, Repository.Read(file))));
    }

    [Fact]
    public void Emitted_comments_are_plain_English()
    {
        Assert.True(Snapshots.Length > 5, "The scan found hardly any snapshot: it looks in the wrong place.");
        AssertNone(Snapshots.SelectMany(file => ProseRules.OfCode(file, Repository.Read(file))));
    }

    [Fact]
    public void All_pages_are_plain_English()
    {
        Assert.True(Pages.Length > 20, "The scan found hardly any page: it looks in the wrong place.");
        AssertNone(Pages.SelectMany(file => ProseRules.OfPage(file, Repository.Read(file))));
    }

    [Fact]
    public void All_test_names_are_plain_English()
    {
        string[] files = [.. Repository.Files("test", "*.cs")];
        Assert.True(files.Length > 20, "The scan found hardly any file: it looks in the wrong place.");
        AssertNone(files.SelectMany(file => ProseRules.OfTestNames(file, Repository.Read(file))));
    }

    [Theory]
    [InlineData("[Fact] void Who_waits_sees_it() { }", "Who")]
    [InlineData("[Theory, InlineData(1)] void What_is_read(int a) { }", "What")]
    [InlineData("[EngineTheory] void It_waits_for_ever() { }", "for ever")]
    [InlineData("[Fact] void Room_is_left() { }", "Room")]
    [InlineData("[Fact] void A_lock_that_nobody_holds() { }", "nobody")]
    [InlineData("[Fact] void It_says_what_was_read() { }", null)]
    [InlineData("void What_no_test_is() { }", null)]
    public void Each_rule_of_test_names_finds_its_breach(string method, string? breach)
    {
        string[] found = [.. ProseRules.OfTestNames("test/A.cs", $"class A {{ {method} }}")];
        if (breach is null) Assert.Empty(found);
        else Assert.Contains($"“{breach}”", Assert.Single(found), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("class A; // mends it", "mends")]
    [InlineData("class A; // A seed is sown.", "sown")]
    [InlineData("/* Waits for ever. */ class A;", "for ever")]
    [InlineData("// It waits for\n// ever.\nclass A;", "for ever")]
    [InlineData("/// <summary>Nothing is given up.</summary>\nclass A;", "given up")]
    [InlineData("/// <summary>It gives up.</summary>\nclass A;", "gives up")]
    [InlineData("class A; // Threads give up.", "give up")]
    [InlineData("class A; // No room.", "room")]
    [InlineData("class A; // Two rooms.", "rooms")]
    [InlineData("class A; // The thread does his work.", "his")]
    [InlineData("class A; // What is to be read.", "is to be")]
    [InlineData("class A { } // Who waits sees it.", "Who")]
    [InlineData("/// <summary>A class.</summary>\n/// <param name=\"a\">Whom it wakes.</param>\nclass A;", "Whom")]
    [InlineData("class A; // It runs. Whoever waits sees it.", "Whoever")]
    [InlineData("class A; // Where those wait.", "Where those")]
    [InlineData("/// <summary>\n/// How long lives a record.\n/// </summary>\nclass A;", "How long lives")]
    [InlineData("public class Key\n{\n    /// <summary>The key.</summary>\n    public int Key;\n}", "no more than")]
    [InlineData("public class A\n{\n    /// <summary>Runs.</summary>\n    public void Work() { }\n}", "no more than")]
    [InlineData("public class A\n{\n    /// <summary>Its page sizes.</summary>\n    public int PageSize { get; }\n}",
        "no more than")]
    public void Each_rule_of_comments_finds_its_breach(string text, string breach) =>
        Assert.Contains(breach, Assert.Single(ProseRules.OfCode("src/A.cs", text)), StringComparison.Ordinal);

    [Theory]
    [InlineData("There is room.", "room")]
    [InlineData("| term |\n|---|\n| A thing is to be done |", "is to be")]
    [InlineData("Text. Who waits sees it.", "Who")]
    [InlineData("- Whoever waits sees it.", "Whoever")]
    public void Each_rule_of_pages_finds_its_breach(string text, string breach) =>
        Assert.Contains(breach, Assert.Single(ProseRules.OfPage("docs/a.md", text)), StringComparison.Ordinal);

    [Fact]
    public void Quotations_code_and_questions_are_left_alone()
    {
        Assert.Empty(ProseRules.OfPage("docs/a.md", "`room` and “room” and \"room\"\n```\nroom\n```"));
        Assert.Empty(ProseRules.OfPage("docs/a.md", "Who reads this?"));
        Assert.Empty(ProseRules.OfCode("src/A.cs", "class A { string s = \"room\"; } // Who reads this?"));
        Assert.Empty(ProseRules.OfCode("src/A.cs", "/// <summary>Sets <c>room</c>.</summary>\nclass A { int room; }"));
        Assert.Empty(ProseRules.OfCode(
            "src/A.cs", "class A\n{\n    /// <summary>The key as stored.</summary>\n    public int Key;\n}"));
    }

    private static void AssertNone(IEnumerable<string> found)
    {
        string[] breaches = [.. found];
        Assert.True(breaches.Length == 0, $"{breaches.Length} breaches:\n{string.Join('\n', breaches)}");
    }
}
