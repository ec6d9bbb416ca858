using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>The examples of the documentation compile as they stand, and those of the guide run.</summary>
public class DocumentationExamplesTests
{
    private const string Usings = "using System.IO;\nusing System.IO.Pipelines;\n"
        + "using Microsoft.Extensions.DependencyInjection;\nnamespace Demo;\n";

    private const string Begin = """

        public static class Program
        {
            public static async Task Run(List<string> log)
            {
        """;

    private const string Console = """
        public static class Console
        {
            public static List<string> Lines = [];

            public static void WriteLine(object? line) => Lines.Add($"{line}");
        }
        """;

    private const string End = """
                log.Add("done");
                await Task.CompletedTask; // a page may have declarations only
            }
        }
        """;

    /// <summary>Pages, what is declared for their readers elsewhere, and what their examples begin with.</summary>
    public static TheoryData<string, string, string> Pages => new()
    {
        { "docs/guide/analytics.md", "", "await using var store = await Clicks.OpenAsync(null);" },
        { "docs/guide/expiry.md", """
            [Store]
            public static partial class Sessions
            {
                [InPlaceUpdater] static void Use(Guid id, int use, ref long uses) => uses += use;
                [CopyUpdater] static void Copy(Guid id, int use, long old, ref long uses) => uses = old + use;
            }
            """, "CancellationToken ct = default; Guid id = default, token = default; int use = 1; long state = 2;" },
        { "docs/guide/merging.md", "", "" },
        { "docs/guide/hotring.md", "", "" },
        { "docs/guide/large-values.md",
            "[Store(Key = typeof(long), Value = typeof(byte[]))] public static partial class Files { }",
            """
            CancellationToken ct = default; long key = 1; var response = new Pipe();
            ReadResult received = await response.Reader.ReadAsync();
            await using var store = await Files.OpenAsync(null);
            await using var session = store.StartSession();
            """ },
        { "docs/guide/sessions.md", "", "await using var store = await Clicks.OpenAsync(null);" },
        { "docs/guide/durability.md", "", "await using var store = await Clicks.OpenAsync(null);" },
        { "docs/guide/operations.md", """
            [Store]
            public static partial class Clicks
            {
                [InPlaceUpdater] static void Add(long page, long amount, ref long total) => total += amount;
            }
            """, "await using var store = await Clicks.OpenAsync(null);" },
        { "docs/guide/tiered.md", "", "await using var store = await Visits.OpenAsync(null);" },
        { "docs/guide/transactions.md", "", "await using var store = await Bank.OpenAsync(null);" },
        { "docs/guide/tuning.md", "", "" },
    };

    [Theory, MemberData(nameof(Pages))]
    public void The_examples_of_a_page_compile(string page, string declared, string before) =>
        Assert.Empty(Harness.Problems(Harness.Build(Program(page, declared, before))));

    [Theory]
    [InlineData("README.md")]
    [InlineData("src/Faster.Core/PACKAGE.md")]
    public void The_first_program_compiles_as_it_stands(string page) =>
        Assert.Empty(Harness.Problems(Harness.BuildProgram(Assert.Single(Examples(page)))));

    [Fact]
    public async Task The_examples_of_the_guide_run()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("guide-");
        try
        {
            string program = Program("docs/guide/getting-started.md", Console, "Console.Lines = log;")
                .Replace("\"data/", $"\"{folder.FullName}/", StringComparison.Ordinal);
            string[] log = await Harness.RunAsync(program);
            Assert.Equal(["the: 2", "True", "Ann"], log[..3]);
            Assert.Contains("cat: 3", log);
            Assert.Contains(log, line => line.StartsWith("version", StringComparison.Ordinal) && line.EndsWith(": 3"));
            Assert.Equal(["the is 2", "done"], log[^2..]);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_store_in_a_container_as_the_guide_has_it_commits_when_it_is_closed()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("guide-");
        try
        {
            string lines = Examples("docs/guide/sessions.md").Single(e => e.Contains("ServiceCollection"))
                .Replace("\"data/", $"\"{folder.FullName}/", StringComparison.Ordinal);
            string store = Examples("docs/guide/sessions.md").First();
            string[] log = await Harness.RunAsync($$"""
                {{Usings}}{{store}}{{Begin}}
                for (int run = 1; run <= 2; run++)
                {
                    {{lines}}
                    await using AsyncServiceScope scope = container.CreateAsyncScope();
                    Clicks.Session session = scope.ServiceProvider.GetRequiredService<Clicks.Session>();
                    await session.RmwAsync(7, 1);
                    log.Add($"{(await session.ReadAsync(7)).Value}");
                }
                {{End}}
                """);
            Assert.Equal(["1", "2", "done"], log);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task The_examples_of_fakes_run() => Assert.Equal(
        ["faked 1, real 1", "done"], await Harness.RunAsync(Program("docs/guide/testing.md", "", "")));

    private static string Program(string page, string declared, string before)
    {
        string types = declared + "\n", statements = before + "\n";
        foreach (string example in Examples(page))
        {
            // An example of both declares first, up to the line of the last closing brace that stands alone.
            int end = example.StartsWith('[') ? example.LastIndexOf("\n}\n", StringComparison.Ordinal) + 3 : 0;
            bool declares = end == 0 || !example[end..].Contains("[Store", StringComparison.Ordinal);
            types += declares ? example[..end] : example;
            statements += declares ? example[end..] : "";
        }

        return Usings + types + Begin + statements + End;
    }

    private static IEnumerable<string> Examples(string page) =>
        File.ReadAllText(Path.Combine(Repository(), page)).ReplaceLineEndings("\n").Split("```csharp\n").Skip(1)
            .Select(part => part[..part.IndexOf("```", StringComparison.Ordinal)]);

    private static string Repository()
    {
        string folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Faster.sln"))) folder = Path.GetDirectoryName(folder)!;
        return folder;
    }
}
