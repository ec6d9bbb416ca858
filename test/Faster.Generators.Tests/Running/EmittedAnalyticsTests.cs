using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>What emitted stores do with their log as a whole: each kind of key and value.</summary>
public class EmittedAnalyticsTests
{
    private const string Begin = """

        public static class Program
        {
            public static async Task Run(List<string> log)
            {
        """;

    private const string End = """
            }
        }
        """;

    [Fact]
    public async Task Numbers_are_scanned_followed_and_copied()
    {
        string[] log = await Run(Sources.Clicks, """
            await using var store = await Demo.Clicks.OpenAsync(null);
            await using var session = store.StartSession();
            for (long page = 1; page <= 3; page++) _ = session.Upsert(page, page * 10);
            await foreach (var record in store.ScanAsync()) log.Add($"{record.Key}={record.Value}");
            log.Sort();
            _ = session.Rmw(2, 5);
            _ = session.Delete(3);
            await foreach (var past in store.HistoryAsync(2)) log.Add($"{past.Record.Value} of {past.Version}");
            await foreach (var item in store.SubscribeAsync(new SubscribeOptions
            {
                FromAddress = SubscribeOptions.Beginning, ShiftReadOnlyEvery = TimeSpan.FromMilliseconds(1),
            }))
            {
                log.Add($"{item.Record.Key} {item.Record.IsTombstone}");
                if (item.Record.IsTombstone) break;
            }

            var backup = new System.IO.MemoryStream();
            log.Add($"{await store.ExportAsync(backup)} exported, {store.ScannableCommits.Count} commits");
            backup.Position = 0;
            await using var copy = await Demo.Clicks.OpenAsync(null);
            log.Add($"{await copy.ImportAsync(backup)} imported");
            log.Add($"{await copy.ImportAsync(store.OpenReader(new ScanOptions { Scope = ScanScope.All }))} again");
            await using var other = copy.StartSession();
            log.Add($"{(await other.ReadAsync(2)).Value} {(await other.ReadAsync(3)).Found}");
            """);
        Assert.Equal(
            ["1=10", "2=20", "3=30", "25 of 1", "20 of 1", "1 False", "2 False", "3 False", "2 False", "3 True",
                "2 exported, 0 commits", "2 imported", "5 again", "25 False"],
            log);
    }

    [Fact]
    public async Task Strings_bytes_and_objects_likewise()
    {
        string[] text = await Run(Sources.Text, Of("Words", "\"ключ\"", "\"значение\"", "r.Key + r.Value"));
        Assert.Equal(["ключзначение", "1", "ключзначение", "значение"], text);
        string[] bytes = await Run(
            Sources.Plain, Of("Plain", "5", "new byte[] { 1, 2 }", "$\"{r.Key}{Convert.ToHexString(r.Value!)}\""));
        Assert.Equal(["50102", "1", "50102", "System.Byte[]"], bytes);
        string[] objects = await Run(
            Sources.Serialized,
            Of("Orders", "new Demo.Customer(\"Ann\", 1)", "new Demo.Order(\"x\", [7])", "r.Key.Name + r.Value!.Text"));
        Assert.Equal("Annx", objects[0]);
        Assert.Equal("Annx", objects[2]);
    }

    [Fact]
    public async Task Two_tiers_are_scanned_and_followed()
    {
        string[] log = await Run(
            Sources.Clicks.Replace("[Store]", "[Store(Engine = typeof(TieredEngine))]", StringComparison.Ordinal), """
            await using var store = await Demo.Clicks.OpenAsync(null);
            await using var session = store.StartSession();
            for (long page = 1; page <= 3; page++) _ = session.Upsert(page, page * 10);
            await foreach (var record in store.ScanAsync()) log.Add($"{record.Key}={record.Value}");
            log.Sort();
            _ = session.Rmw(2, 5);
            _ = session.Delete(3);
            await foreach (var item in store.SubscribeAsync(new SubscribeOptions
            {
                FromAddress = SubscribeOptions.Beginning, ShiftReadOnlyEvery = TimeSpan.FromMilliseconds(1),
            }))
            {
                log.Add($"{item.Record.Key} {item.Record.Value} {item.Record.IsTombstone}");
                if (item.Record.IsTombstone) break;
            }
            """);
        Assert.Equal(
            ["1=10", "2=20", "3=30", "1 10 False", "2 20 False", "3 30 False", "2 25 False", "3 0 True"], log);
    }

    [Fact]
    public async Task Two_tiers_are_scanned_and_exported_as_of_a_commit_and_have_histories()
    {
        string[] log = await Run(
            Sources.Clicks.Replace("[Store]", "[Store(Engine = typeof(TieredEngine))]", StringComparison.Ordinal), """
            string folder = System.IO.Directory.CreateTempSubdirectory("faster-emitted-").FullName;
            await using (var store = await Demo.Clicks.OpenAsync(folder))
            {
                await using var session = store.StartSession();
                _ = session.Upsert(1, 10);
                var commit = await store.CommitAsync();
                _ = session.Upsert(1, 11);
                _ = session.Upsert(2, 20);
                var options = new ScanOptions { AsOf = commit };
                await foreach (var record in store.ScanAsync(options)) log.Add($"{record.Key}={record.Value}");
                log.Add($"{store.ScannableCommits.Count} {store.ScannableCommits[0].Version == commit.Version}");
                await using var copy = await Demo.Clicks.OpenAsync(null);
                log.Add((await copy.ImportAsync(store.OpenReader(options))).ToString());
                await foreach (var record in copy.ScanAsync()) log.Add($"{record.Key}={record.Value}");
                await foreach (var past in store.HistoryAsync(1)) log.Add($"{past.Version}: {past.Record.Value}");
            }
            System.IO.Directory.Delete(folder, recursive: true);
            """);
        Assert.Equal(["1=10", "1 True", "1", "1=10", "2: 11", "1: 10"], log);
    }

    private static string Of(string store, string key, string value, string show) => $$"""
        await using var store = await Demo.{{store}}.OpenAsync(null);
        await using var session = store.StartSession();
        var key = {{key}};
        _ = session.Upsert(key, {{value}});
        await foreach (var r in store.ScanAsync()) log.Add({{show}});
        await using var copy = await Demo.{{store}}.OpenAsync(null);
        log.Add((await copy.ImportAsync(store.OpenReader())).ToString());
        await foreach (var r in copy.ScanAsync()) log.Add({{show}});
        await foreach (var past in copy.HistoryAsync(key)) log.Add(past.Record.Value!.ToString()!);
        """;

    private static Task<string[]> Run(string store, string body) => Harness.RunAsync(store + Begin + body + End);
}
