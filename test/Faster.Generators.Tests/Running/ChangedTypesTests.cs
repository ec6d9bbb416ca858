using Faster.Generators.Tests.Fakes;
using Microsoft.CodeAnalysis;

namespace Faster.Generators.Tests.Running;

/// <summary>
/// One program makes a store, the next one has changed its types: it reads what was meant, or is refused.
/// </summary>
public sealed class ChangedTypesTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), "faster-" + Guid.NewGuid().ToString("N"));

    public void Dispose()
    {
        if (Directory.Exists(_folder)) Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Fields_that_change_places_are_refused_and_new_names_of_types_are_not()
    {
        await WriteAsync("namespace First; public record struct State(long Seen, double Max);", "new(7, 1.5)");
        string refused = Assert.Single(await ReadAsync(
            "namespace First; public record struct State(double Max, long Seen);"));
        Assert.StartsWith("StoreOpenException", refused, StringComparison.Ordinal);
        Assert.Contains("value there: First.State = { long Seen; double Max; } (16 bytes)", refused);
        Assert.Contains("value here:  First.State = { double Max; long Seen; } (16 bytes)", refused);
        Assert.Equal(
            ["State { Seen = 7, Max = 1.5 }"],
            await ReadAsync("namespace Second; public record struct State(long Seen, double Max);"));
        Assert.Equal(
            ["State { LastSeen = 7, Max = 1.5 }"],
            await ReadAsync(
                "namespace Second; public record struct State([StoredAs(\"Seen\")] long LastSeen, double Max);"));
    }

    [Fact]
    public async Task A_property_of_another_type_is_told_by_its_path_and_a_new_one_is_read()
    {
        const string json = "namespace First; [System.Text.Json.Serialization.JsonSerializable(typeof(State))] "
            + "public sealed partial class J : System.Text.Json.Serialization.JsonSerializerContext; ";
        await WriteAsync(json + "public sealed record State(int Count);", "new(7)", ", SerializerContext = typeof(J)");
        Assert.Equal(
            ["State { Count = 7, More =  }"],
            await ReadAsync(
                json.Replace("First", "Second", StringComparison.Ordinal)
                    + "public sealed record State(int Count, string? More = null);",
                ", SerializerContext = typeof(J)"));
        string refused = Assert.Single(await ReadAsync(
            json + "public sealed record State(string Count);", ", SerializerContext = typeof(J)"));
        Assert.StartsWith("FasterException: A record can't be read as First.State", refused);
        Assert.Contains("$.Count", refused, StringComparison.Ordinal);
    }

    [Fact]
    public async Task No_null_is_stored()
    {
        const string types = "namespace First; [System.Text.Json.Serialization.JsonSerializable(typeof(State))] "
            + "public sealed partial class J : System.Text.Json.Serialization.JsonSerializerContext; "
            + "public sealed record State(int Count);";
        string[] log = await Harness.RunAsync(types + """
            [Store(Key = typeof(int), Value = typeof(State), SerializerContext = typeof(J))] static partial class S;
            [Store(Key = typeof(int), Value = typeof(string))] static partial class T;
            public static class Program
            {
                public static async Task Run(List<string> log)
                {
                    await using S.Store store = await S.OpenAsync(null);
                    await using S.Session session = store.StartSession();
                    try { await session.UpsertAsync(1, null!); }
                    catch (ArgumentNullException e) { log.Add(e.ParamName!); }
                    log.Add($"{(await session.ReadAsync(1)).Found}");
                    await using T.Store texts = await T.OpenAsync(null);
                    await using T.Session text = texts.StartSession();
                    try { await text.UpsertAsync(1, null!); }
                    catch (ArgumentNullException e) { log.Add(e.ParamName!); }
                }
            }
            """);
        Assert.Equal(["value", "False", "value"], log);
    }

    [Fact]
    public void An_absent_value_may_be_null_and_one_that_was_found_is_not()
    {
        Compilation compilation = Harness.Build("""
            [Store(Key = typeof(int), Value = typeof(string))] public static partial class S;
            public static class Program
            {
                public static int Wrong(ReadResult<string> read) => read.Value.Length;
                public static int Wronger(ReadResult<string> read) { var (_, value) = read; return value.Length; }
                public static int Right(ReadResult<string> read) => read.Found ? read.Value.Length : 0;
                public static int Tried(ReadResult<string> read) => read.TryGetValue(out string? v) ? v.Length : 0;
                public static int Plain(ReadResult<int> read) => read.Value + read.GetValueOrDefault(1);
                public static bool Pattern(ReadResult<int> read) => read is (true, 7);
            }
            """);
        Diagnostic[] found = [.. compilation.GetDiagnostics().Where(d => d.Severity >= DiagnosticSeverity.Warning
            && d.Id != "CS1591")];
        Assert.Equal(
            ["CS8602 4", "CS8602 5"],
            found.Select(d => $"{d.Id} {d.Location.GetLineSpan().StartLinePosition.Line + 1}"));
    }

    private Task<string[]> WriteAsync(string types, string value, string attribute = "") =>
        RunAsync(types, $"await session.UpsertAsync(1, {value}); await store.CommitAsync();", attribute);

    private Task<string[]> ReadAsync(string types, string attribute = "") =>
        RunAsync(types, "log.Add($\"{(await session.ReadAsync(1)).Value}\");", attribute);

    private Task<string[]> RunAsync(string types, string body, string attribute) => Harness.RunAsync($$"""
        {{types}}
        [Store(Key = typeof(long), Value = typeof(State){{attribute}})] public static partial class S;
        public static class Program
        {
            public static async Task Run(List<string> log)
            {
                try
                {
                    await using S.Store store = await S.OpenAsync(@"{{_folder}}");
                    await using S.Session session = store.StartSession();
                    {{body}}
                }
                catch (FasterException e)
                {
                    log.Add($"{e.GetType().Name}: {e.Message}");
                }
            }
        }
        """);
}
