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
            ["NotFound 0", "Created Ok Ok 11", "Ok Ok ReadResult { Found = True, Value = 81 }", "11 22 3 -1",
                "Ok False", "11"],
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
        Assert.Equal(["points Created Ok", "Ok got 3", "Ok y=8", "Ok y=5"], log);
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
            ["key-50+more", "Ok Ok", "Created", "Ok abcdefghijklmnop", "True key-70+more", "False",
                "key-40001key-7", "key-2000key-8", "key-9"],
            log);
    }

    [Fact]
    public async Task Values_larger_than_a_page_go_in_as_sequences_and_come_out_by_writers()
    {
        string[] log = await Run(Sources.Bytes, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Demo.Blobs.OpenAsync(null, options);
            await using var session = store.StartSession();
            byte[] value = new byte[5_000_000];
            new Random(1).NextBytes(value);
            log.Add($"{await session.UpsertAsync("a"u8, new ReadOnlySequence<byte>(value))}");
            log.Add($"{await session.UpsertAsync("b"u8, new ReadOnlySequence<byte>(value, 0, 10))}");
            var into = new ArrayBufferWriter<byte>();
            log.Add($"{await session.ReadAsync("a"u8, into)} {into.WrittenSpan.SequenceEqual(value)}");
            log.Add($"{(await session.ReadAsync("b"u8)).Value.AsSpan().SequenceEqual(value.AsSpan(0, 10))}");
            log.Add($"{session.Upsert("c"u8, value)} {await session.RmwAsync("c"u8, "+"u8)}");
            log.Add($"{(await session.ReadAsync("c"u8)).Value.AsSpan().SequenceEqual((byte[])[.. value, (byte)'+'])}");
            log.Add(string.Join(" ", store.Scan().Select(r => r.Value!.Length)));
            """);
        Assert.Equal(["Ok", "Ok", "True True", "True", "Ok Ok", "True", "5000000 10 5000000 5000001"], log);
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
        Assert.Equal(["Created Ok", "Ok abcdefgh€", "first second! ?", "False ключ"], log);
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
        Assert.Equal(["Created Ok Ok 2", "Ok 3", "3 0", "again"], log);
    }

    [Fact]
    public async Task A_committed_store_is_opened_again_and_its_session_goes_on()
    {
        string[] log = await RunInFolder(Sources.Clicks, """
            await using (var store = await Demo.Clicks.OpenAsync(folder, new StoreOptions { CommitOnDispose = false }))
            {
                log.Add($"{store.Recovery is null}");
                await using var session = store.StartSession("loader-1");
                for (long page = 0; page < 100; page++) await session.RmwAsync(page, page);
                CommitPoint point = await session.CommitAsync();
                log.Add($"{point.SessionName} {point.SerialNumber} {session.LastCommit == point}");
                await session.RmwAsync(7, 1_000_000); // not committed: lost
                log.Add($"{session.SerialNumber}");
            }

            var steps = new Steps();
            await using (var store = await Demo.Clicks.RecoverAsync(folder, null, steps))
            {
                log.Add($"{store.Recovery!.Version} {steps.Last}");
                await using var session = store.ContinueSession("loader-1", out CommitPoint point);
                log.Add($"{point.SerialNumber} {session.RecoveredPoint == point} {session.SerialNumber}");
                log.Add($"{(await session.ReadAsync(7)).Value} {(await session.ReadAsync(99)).Value}");
            }

            sealed class Steps : IProgress<RecoveryProgress>
            {
                public RecoveryStep Last { get; private set; }
                public void Report(RecoveryProgress value) => Last = value.Step;
            }
            """);
        Assert.Equal(["True", "loader-1 100 True", "101", "1 Done", "100 True 100", "7 99"], log);
    }

    [Fact]
    public async Task Batches_under_one_number_and_numbers_of_the_callers_own_are_committed()
    {
        Guid id = Guid.NewGuid();
        string[] log = await RunInFolder(Sources.Clicks, $$"""
            Guid id = Guid.Parse("{{id}}");
            await using (var store = await Demo.Clicks.OpenAsync(folder))
            {
                var session = store.StartSession(id);
                session.Rmw(new long[] { 1, 2, 3 }, new long[] { 1, 2, 3 }, serialNumber: 1000);
                session.Upsert(new long[] { 4 }, new long[] { 4 }, 1001);
                session.Delete(new long[] { 1 }, 1002);
                var results = new ReadResult<long>[2];
                session.Read(new long[] { 1, 2 }, results, 1003);
                log.Add($"{session.SerialNumber} {results[0].Found} {results[1].Value}");
                session.SetNextSerialNumber(2000);
                await session.RmwAsync(2, 2);
                log.Add($"{session.SerialNumber}");
                session.Rmw(new long[] { 2, 3 }, new long[] { 2, 2 });
                log.Add($"{session.SerialNumber}");
                try { session.SetNextSerialNumber(2002); }
                catch (ArgumentOutOfRangeException) { log.Add("refused"); }
                log.Add($"{(await session.CommitAsync()).SerialNumber}");
            }

            await using (var store = await Demo.Clicks.OpenAsync(folder))
            {
                await using var session = store.ContinueSession(id, out CommitPoint point);
                ReadResult<long> two = await session.ReadAsync(2);
                log.Add($"{point.SerialNumber} {two.Value} {(await session.ReadAsync(1)).Found}");
            }
            """);
        Assert.Equal(["1003 False 2", "2000", "2002", "refused", "2002", "2002 6 False"], log);
    }

    [Fact]
    public async Task Commits_are_told_by_event_by_callback_and_as_a_stream()
    {
        string[] log = await RunInFolder(Sources.Clicks, """
            await using var store = await Demo.Clicks.OpenAsync(folder);
            await using var session = store.StartSession("s");
            var told = new List<string>();
            var committed = new TaskCompletionSource();
            store.Committed += commit =>
            {
                told.Add($"store {commit.Version} {commit.Kind}");
                if (commit.Version == 2) committed.SetResult();
            };
            session.Committed += point => told.Add($"session {point.SerialNumber}");
            await using var points = session.CommitPointsAsync().GetAsyncEnumerator();
            await session.RmwAsync(1, 1);
            Commit first = await store.CommitAsync(CommitKind.Snapshot, withIndex: true);
            log.Add($"{first.Kind} {first.HasNewIndex} {first.Points.Count}");
            await points.MoveNextAsync();
            log.Add($"{points.Current.SerialNumber}");
            await session.RmwAsync(1, 1);
            await store.CheckpointIndexAsync();
            await store.CommitAsync();
            await committed.Task;
            log.AddRange(told);
            log.Add($"{(await store.CommitAsync()).WasEmpty}");
            """);
        Assert.Equal(
            ["Snapshot True 1", "1", "session 1", "store 1 Snapshot", "session 2", "store 2 FoldOver", "True"], log);
    }

    [Fact]
    public async Task Names_are_held_once_and_can_be_forgotten()
    {
        string[] log = await RunInFolder(Sources.Clicks, """
            await using var store = await Demo.Clicks.OpenAsync(folder);
            var session = store.StartSession("s");
            foreach (Action misuse in new Action[]
            {
                () => store.StartSession("s"),
                () => store.ContinueSession("unknown", out _),
                () => store.ContinueSession(Guid.Empty, out _),
                () => store.ForgetSession("s"),
            })
            {
                try { misuse(); }
                catch (SessionMisuseException e) { log.Add(e.GetType().Name); }
            }

            await session.DisposeAsync();
            log.Add($"{store.ForgetSession("s")} {store.ForgetSession("s")}");
            try { await Demo.Clicks.RecoverAsync(folder + "-none"); }
            catch (StoreOpenException) { log.Add("nothing to recover"); }
            """);
        string misuse = nameof(SessionMisuseException);
        Assert.Equal([misuse, misuse, misuse, misuse, "True False", "nothing to recover"], log);
    }

    private const string Host = """

        static class Host
        {
            public static async Task<TStore> OpenAsync<TStore, TSession>(string? path, EngineOptions? options)
                where TStore : Faster.Stores.EngineStore, Faster.Contracts.IHostedStore<TStore, TSession>
                where TSession : class, IAsyncDisposable, IDisposable
            {
                TStore store = await TStore.OpenAsync(path, options, null, default);
                await using TSession session = store.StartSession();
                return store;
            }
        }
        """;

    [Fact]
    public async Task A_host_opens_stores_of_every_engine_and_reads_their_figures()
    {
        string rings = "[Store(Engine = typeof(HotRingEngine))] public static partial class Rings "
            + "{ [InPlaceUpdater] static void Add(long key, long by, ref long value) => value += by; }";
        string[] log = await RunInFolder(Sources.Clicks + Host + rings, """
            EngineOptions options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var clicks = await Host.OpenAsync<Demo.Clicks.Store, Demo.Clicks.Session>(folder, options);
            await using var session = clicks.StartSession("a");
            EngineStatistics before = clicks.Statistics;
            session.Rmw(1, 1);
            Commit commit = await clicks.CommitAsync();
            EngineStatistics after = ((Faster.Stores.EngineStore)clicks).Statistics;
            log.Add($"{before.LastCommit is null} {before.LastCommitAge is null} {after.LastCommit == commit}");
            log.Add($"{after.LastCommitAge < TimeSpan.FromMinutes(1)} {after.Sessions} {after.PendingOperations}");
            log.Add($"{after.MemoryBytes > 0} {after.DiskBytes > 0} {after.StalledBy} {after.LastFault}");
            await using var rings = await Host.OpenAsync<Demo.Rings.Store, Demo.Rings.Session>(null, null);
            log.Add($"{rings.Options.MemoryBudget} {rings.Statistics.MemoryBytes > 0} {rings.Statistics.DiskBytes}");
            foreach (var bad in new (string?, EngineOptions?)[] { (null, options), (folder, null) })
            {
                try { await Host.OpenAsync<Demo.Rings.Store, Demo.Rings.Session>(bad.Item1, bad.Item2); }
                catch (Exception e) { log.Add(e.GetType().Name + ": " + e.Message.Split('.', ',')[0]); }
            }
            """);
        Assert.Equal(
            ["True True True", "True 1 0", "True True  ", "64.0 MiB True 0",
                "ArgumentException: The store is opened with HotRingOptions",
                "StoreOpenException: The store is kept in memory only"],
            log);
    }

    [Fact]
    public async Task One_class_works_on_several_engines()
    {
        string[] log = await RunInFolder(Sources.Several, """
            var stores = new Demo.Several.IStore[]
            {
                await Demo.Several.OpenAsync(folder),
                await Demo.Several.TieredStore.OpenAsync(folder + "2", new TieredOptions()),
                await Demo.Several.HotRingStore.OpenAsync(),
            };
            foreach (var store in stores)
            {
                using (Demo.Several.ISession session = store.StartSession())
                {
                    session.Rmw(1, 2);
                    session.Rmw(new long[] { 1, 5 }, new long[] { 3, 4 });
                    Status status = session.Read(1, out long sum, "the context of a callback");
                    log.Add($"{session.GetType().Name} {status} {sum} {(await session.ReadAsync(5)).Value}");
                }

                if (store is Demo.Several.ICommittingStore committing)
                {
                    using Demo.Several.ISession named = committing.StartSession("a");
                    named.Upsert(9, 9);
                    log.Add($"{(await committing.CommitAsync()).Version} {((ICommittingStore)store).Recovery is null}");
                }

                log.Add($"{((IStore)store).Statistics.GetType().Name} {((IStore)store).Options.GetType().Name}");
                await store.DisposeAsync();
            }

            await using var again = await Demo.Several.TieredStore.RecoverAsync(folder + "2");
            using Demo.Several.TieredSession continued = again.ContinueSession("a", out CommitPoint point);
            log.Add($"{point.SerialNumber} {(await continued.ReadAsync(1)).Value}");
            foreach (Demo.Several.Record record in again.ScanAsync().ToBlockingEnumerable().OrderBy(r => r.Key))
                log.Add($"{record.Key} {record.Value}");
            """);
        Assert.Equal(
            ["Session Ok 5 4", "1 True", "StoreStatistics StoreOptions", "TieredSession Ok 5 4", "1 True",
                "TieredStatistics TieredOptions", "HotRingSession Ok 5 4", "HotRingStatistics HotRingOptions",
                "1 5", "1 5", "5 4", "9 9"],
            log);
    }

    [Fact]
    public async Task Sessions_are_continued_by_name_and_by_Guid()
    {
        string[] log = await RunInFolder(Sources.Clicks, """
            var id = Guid.NewGuid();
            await using (var store = await Demo.Clicks.OpenAsync(folder))
            {
                await using var named = store.StartSession("a");
                await using var numbered = store.StartSession(id);
                named.Rmw(1, 1);
                numbered.Rmw(1, 2);
                numbered.Rmw(1, 3);
                log.Add($"{(await named.CommitAsync()).SerialNumber} {numbered.LastCommit.SerialNumber}");
            }

            await using var again = await Demo.Clicks.RecoverAsync(folder);
            await using var first = again.ContinueSession("a", out CommitPoint one);
            await using var second = again.ContinueSession(id, out CommitPoint two);
            log.Add($"{one.SerialNumber} {two.SerialNumber} {two.SessionName == $"{id:D}"} {first.SerialNumber}");
            log.Add($"{(await second.ReadAsync(1)).Value} {again.ForgetSession("none")}");
            """);
        Assert.Equal(["1 2", "1 2 True 1", "6 False"], log);
    }

    private static async Task<string[]> RunInFolder(string store, string body)
    {
        string folder = Directory.CreateTempSubdirectory("faster-emitted-").FullName;
        try
        {
            // What the body declares after a line with «sealed class» stands behind the program.
            int types = body.IndexOf("\nsealed class", StringComparison.Ordinal);
            string code = types < 0 ? body : body[..types];
            string program = $"string folder = @\"{folder}/store\";\n{code}";
            return await Harness.RunAsync(store + Begin + program + End + (types < 0 ? "" : body[types..]));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static Task<string[]> Run(string store, string body) => Harness.RunAsync(store + Begin + body + End);
}
