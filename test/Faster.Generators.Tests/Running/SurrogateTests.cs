using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>
/// Strings with lone surrogates have no UTF-8: as keys, values or parts of either they are refused by one type of
/// exception in each form of each operation, and none is changed in silence.
/// </summary>
public class SurrogateTests
{
    private const string Types = """
        public sealed record Name(string Text);
        [System.Text.Json.Serialization.JsonSerializable(typeof(Name))]
        public sealed partial class Json : System.Text.Json.Serialization.JsonSerializerContext;
        """;

    public static TheoryData<string, string> All
    {
        get
        {
            var all = new TheoryData<string, string>();
            foreach (string engine in (string[])["FasterEngine", "TieredEngine", "HotRingEngine"])
                foreach (string type in (string[])["string", "Name"]) all.Add(engine, type);
            return all;
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task They_are_refused_and_leave_no_record(string engine, string type)
    {
        string made = type == "string" ? "text" : "new Name(text)";
        string[] log = await Harness.RunAsync($$"""
            {{Types}}
            [Store(Engine = typeof({{engine}}), Key = typeof({{type}}), Value = typeof({{type}}),
                SerializerContext = typeof(Json))]
            public static partial class S
            {
                [InitialUpdater] static void Start({{type}} key, {{type}} input, ref {{type}} value) => value = input;
                [CopyUpdater] static void Copy({{type}} key, {{type}} input, {{type}} old, ref {{type}} value) =>
                    value = input;
            }
            public static class Program
            {
                private static {{type}} Make(string text) => {{made}};

                public static async Task Run(List<string> log)
                {
                    {{type}} good = Make("\ud83d\ude00"), one = Make("\ud800"), other = Make("\udc00");
                    await using S.Store store = await S.OpenAsync(null);
                    await using S.Session session = store.StartSession();
                    int refused = 0;
                    async Task Refused(Func<Task> act)
                    {
                        try { await act(); }
                        catch (System.Text.EncoderFallbackException) { refused++; }
                    }
                    foreach ({{type}} bad in new[] { one, other })
                    {
                        await Refused(async () => await session.UpsertAsync(bad, good));
                        await Refused(async () => await session.UpsertAsync(good, bad));
                        await Refused(async () => await session.RmwAsync(bad, good));
                        await Refused(async () => await session.RmwAsync(good, bad));
                        await Refused(async () => await session.ReadAsync(bad));
                        await Refused(async () => await session.DeleteAsync(bad));
                        await Refused(() => { session.Upsert([good, bad], [good, good]); return Task.CompletedTask; });
                        await Refused(() => { session.Upsert([good, good], [good, bad]); return Task.CompletedTask; });
                    }
                    int records = 0;
                    await foreach (S.Record record in store.ScanAsync()) records++;
                    await session.UpsertAsync(good, good);
                    await session.RmwAsync(good, good);
                    log.Add($"{refused} refused, {records} stored, {(await session.ReadAsync(good)).Value == good}");
                }
            }
            """);
        Assert.Equal(["16 refused, 0 stored, True"], log);
    }
}
