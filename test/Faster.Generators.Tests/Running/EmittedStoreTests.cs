using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>Emitted stores at work on the engine: each kind of key and value, in memory and from disk.</summary>
public class EmittedStoreTests
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
    public async Task Unmanaged_values_in_all_three_forms()
    {
        string[] log = await Run(Sources.Clicks, """
            await using var store = await Demo.Clicks.OpenAsync(null);
            await using var session = store.StartSession();
            log.Add($"{session.Read(7, out long none)} {none}");
            log.Add($"{session.Rmw(7, 5)} {session.Rmw(7, 6)} {session.Read(7, out long sum)} {sum}");
            log.Add($"{await session.UpsertAsync(8, 80)} {await session.RmwAsync(8, 1)} {await session.ReadAsync(8)}");
            session.Upsert(new long[] { 1, 2 }, new long[] { 10, 20 });
            session.Rmw(new long[] { 1, 2, 3 }, new long[] { 1, 2, 3 });
            var results = new ReadResult<long>[4];
            session.Read(new long[] { 1, 2, 3, 4 }, results);
            log.Add(string.Join(" ", results.Select(r => r.GetValueOrDefault(-1))));
            log.Add($"{session.Delete(1)} {(await session.ReadAsync(1)).Found}");
            log.Add(string.Join(" ", store.Scan().Where(r => r.Key == 7).Select(r => r.Value)));
            """);
        Assert.Equal(
            ["NotFound 0", "Ok Ok Ok 11", "Ok Ok ReadResult { Found = True, Value = 81 }", "11 22 3 -1", "Ok False",
                "11"],
            log);
    }

    [Fact]
    public async Task Records_on_disk_come_back_in_all_three_forms()
    {
        string[] log = await Run(Sources.Clicks, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Demo.Clicks.OpenAsync(null, options);
            await using var session = store.StartSession();
            for (long i = 0; i < 80_000; i++) await session.RmwAsync(i, i);
            Status status = session.Read(1, out _);
            log.Add($"{status} {session.PendingCount} {session.CompletePending(wait: true)}");
            ReadResult<long> two = await session.ReadAsync(2);
            log.Add($"{two.Value} {await session.RmwAsync(3, 10)} {(await session.ReadAsync(3)).Value}");
            long[] keys = [4, 79_999, 5, -1];
            session.Rmw(keys.AsSpan(0, 3), new long[] { 1, 1, 1 });
            keys = [4, 6, 5, -1, 79_999];
            var results = new ReadResult<long>[keys.Length];
            session.Read(keys, results);
            log.Add(string.Join(" ", results.Select(r => r.GetValueOrDefault(-1))));
            """);
        Assert.Equal(["Pending 1 True", "2 Ok 13", "5 6 6 -1 80000"], log);
    }

    [Fact]
    public async Task A_callback_hears_of_pending_operations_with_its_context()
    {
        string[] log = await Run("""
            [Store(Key = typeof(long))]
            public static partial class Clicks
            {
                [InPlaceUpdater] static void Add(ref long total) => total++;
                [CompletionCallback] static void Done(Status status, long output, List<string> context) =>
                    context.Add($"{status} {output}");
            }
            """, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Clicks.OpenAsync(null, options);
            await using var session = store.StartSession();
            for (long i = 0; i < 80_000; i++) await session.UpsertAsync(i, i);
            log.Add($"{session.Read(9, out long output, log)} {output}");
            await session.CompletePendingAsync();
            """);
        Assert.Equal(["Pending 0", "Ok 9"], log);
    }

    [Fact]
    public async Task User_functions_of_all_eight_kinds_with_a_struct_value()
    {
        string[] log = await Run(Sources.Everything, """
            await using var store = await Demo.Outer.Points.OpenAsync(null);
            await using var session = store.StartSession("points");
            Guid key = Guid.NewGuid();
            log.Add($"{session.Name} {session.Rmw(key, 3)} {session.Rmw(key, 4)}");
            log.Add($"{session.Read(key, "got ", out string? text)} {text}");
            log.Add($"{await session.UpsertAsync(key, new(9, 8, 7))} {(await session.ReadAsync(key, "y=")).Value}");
            log.Add($"{await session.UpsertAsync(key, new(-9, 5, 7))} {(await session.ReadAsync(key, "y=")).Value}");
            """);
        Assert.Equal(["points Ok Ok", "Ok got 3", "Ok y=8", "Ok y=5"], log);
    }

    [Fact]
    public async Task Bytes_grow_and_come_back_from_disk()
    {
        string[] log = await Run(Sources.Bytes, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Demo.Blobs.OpenAsync(null, options);
            await using var session = store.StartSession();
            for (int i = 0; i < 60_000; i++) await session.UpsertAsync(Key(i), Key(i));
            for (int i = 0; i < 100; i++) await session.RmwAsync(Key(i), "+more"u8);
            log.Add(Text((await session.ReadAsync(Key(50))).Value));
            log.Add($"{session.Upsert("k"u8, "abc"u8)} {session.Rmw("k"u8, "defghijklmnop"u8)}");
            log.Add($"{await session.RmwAsync("n"u8, "new"u8)}");
            var into = new ArrayBufferWriter<byte>();
            log.Add($"{session.Read("k"u8, into)} {Text(into.WrittenSpan)}");
            into.Clear();
            log.Add($"{await session.ReadAsync(Key(70), into)} {Text(into.WrittenSpan)}");
            log.Add($"{await session.ReadAsync("?"u8, into)}");
            ReadOnlyMemory<byte>[] keys = [Key(40_001), Key(2_000), "x"u8.ToArray()];
            session.Rmw(keys, [Key(7), Key(8), Key(9)]);
            var results = new ReadResult<byte[]>[3];
            session.Read(keys, results);
            log.AddRange(results.Select(r => Text(r.Value)));

            static byte[] Key(int i) => System.Text.Encoding.UTF8.GetBytes("key-" + i);
            static string Text(ReadOnlySpan<byte> bytes) => System.Text.Encoding.UTF8.GetString(bytes);
            """);
        Assert.Equal(
            ["key-50+more", "Ok Ok", "Ok", "Ok abcdefghijklmnop", "True key-70+more", "False",
                "key-40001key-7", "key-2000key-8", "key-9"],
            log);
    }

    [Fact]
    public async Task Strings_by_defaults()
    {
        string[] log = await Run(Sources.Text, """
            await using var store = await Demo.Words.OpenAsync(null);
            await using var session = store.StartSession();
            log.Add($"{session.Rmw("ключ", "a")} {session.Rmw("ключ", "bcdefgh€")}");
            log.Add($"{session.Read("ключ", out string? text)} {text}");
            session.Upsert(["a", "b"], ["first", "second"]);
            session.Rmw(["b", "c"], ["!", "?"]);
            var results = new ReadResult<string>[3];
            session.Read(["a", "b", "c"], results);
            log.Add(string.Join(" ", results.Select(r => r.Value)));
            session.Delete(["a"]);
            log.Add($"{(await session.ReadAsync("a")).Found} {store.Scan().First().Key}");
            """);
        Assert.Equal(["Ok Ok", "Ok abcdefgh€", "first second! ?", "False ключ"], log);
    }

    [Fact]
    public async Task Objects_by_json()
    {
        string[] log = await Run(Sources.Serialized, """
            await using var store = await Demo.Orders.OpenAsync(null);
            await using var session = store.StartSession();
            var ann = new Demo.Customer("Ann", 1);
            log.Add($"{session.Rmw(ann, 5)} {session.Rmw(ann, 6)} {session.Read(ann, out int count)} {count}");
            log.Add($"{session.Upsert(ann, new("again", [1, 2, 3]))} {(await session.ReadAsync(new("Ann", 1))).Value}");
            var results = new ReadResult<int>[2];
            session.Upsert([ann with { Number = 2 }], [new Demo.Order("", [])]);
            session.Read([ann, ann with { Number = 2 }], results);
            log.Add(string.Join(" ", results.Select(r => r.Value)));
            log.Add(store.Scan().Last(r => r.Key == ann).Value!.Text);
            """);
        Assert.Equal(["Ok Ok Ok 2", "Ok 3", "3 0", "again"], log);
    }

    private static Task<string[]> Run(string store, string body) => Harness.RunAsync(store + Begin + body + End);
}
