using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>Outputs and statuses of emitted read-modify-writes at work on the engine.</summary>
public class EmittedOutputTests
{
    private const string Sums = """
        [Store]
        public static partial class Sums
        {
            [InitialUpdater] static void Start(long key, long by, ref long sum, out long now) => now = sum = by;
            [InPlaceUpdater] static void Add(long key, long by, ref long sum, out long now) => now = sum += by;
            [CopyUpdater] static void Copy(long key, long by, long old, ref long sum, out long now) =>
                now = sum = old + by;
            [CompletionCallback] static void Done(Status status, long output, List<string>? context) =>
                context?.Add($"{status} {output}");
        }
        """;

    // The value is replaced by zeros of the length that is asked for.
    private const string Lengths = """
        [Store(Key = typeof(int))]
        public static partial class Lengths
        {
            [InitialUpdater] static void Start(int length, IBufferWriter<byte> value, out string output)
            {
                value.Write(new byte[length]);
                output = "new";
            }
            [InPlaceUpdater] static bool Resize(int length, ValueSlot value, out string output)
            {
                output = "in place";
                return value.TryResize(length);
            }
            [CopyUpdater]
            static void Copy(int length, ReadOnlySpan<byte> old, IBufferWriter<byte> value, out string output)
            {
                value.Write(new byte[length]);
                output = "copy of " + old.Length;
            }
        }
        """;

    // Appends a number; the output is where it lies.
    private const string Lists = """
        [Store(Key = typeof(int))]
        public static partial class Lists
        {
            [InitialUpdater] static void Start(long item, IBufferWriter<byte> value, out int at)
            {
                at = 0;
                value.Write(BitConverter.GetBytes(item));
            }
            [InPlaceUpdater] static bool Append(long item, ValueSlot value, out int at)
            {
                at = value.Length;
                bool fits = value.TryResize(at + 8);
                if (fits) BitConverter.TryWriteBytes(value.Bytes[at..], item);
                else at = -1;
                return fits;
            }
            [CopyUpdater]
            static void Copy(long item, ReadOnlySpan<byte> old, IBufferWriter<byte> value, out int at)
            {
                at = old.Length;
                value.Write(old);
                value.Write(BitConverter.GetBytes(item));
            }
        }
        """;

    private static readonly string[] Results = ["(True, 5)", "(False, 11)", "(True, 3)", "(False, 12)"];

    [Fact]
    public async Task Outputs_in_all_three_forms()
    {
        string[] log = await Run(Sums, """
            await using var store = await Sums.OpenAsync(null);
            await using var session = store.StartSession();
            log.Add($"{session.Rmw(1, 5, out long a)} {a} {session.Rmw(1, 6, out long b, log)} {b}");
            RmwResult<long> first = await session.RmwAsync(2, 5), second = await session.RmwAsync(2, 6);
            log.Add($"({first.Created}, {first.Value}) ({second.Created}, {second.Value})");
            var results = new RmwResult<long>[4];
            session.Rmw([7, 7, 8, 7], [5, 6, 3, 1], results);
            log.AddRange(results.Select(r => $"({r.Created}, {r.Value})"));
            log.Add($"{session.Delete(1)} {session.Rmw(1, 9, out long again)} {again}");
            """);
        Assert.Equal(["Created 5 Ok 11", "(True, 5) (False, 11)", .. Results, "Ok Created 9"], log);
    }

    [Fact]
    public async Task Outputs_of_records_on_disk()
    {
        string[] log = await Run(Sums, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Sums.OpenAsync(null, options);
            await using var session = store.StartSession();
            for (long i = 0; i < 80_000; i++) await session.UpsertAsync(i, i);
            log.Add($"{session.Rmw(9, 1, out long late, log)} {late}");
            session.CompletePending(wait: true);
            RmwResult<long> awaited = await session.RmwAsync(10, 1);
            log.Add($"({awaited.Created}, {awaited.Value})");
            var results = new RmwResult<long>[4];
            session.Rmw([11, 11, -11, 12], [1, 1, 1, 1], results);
            log.AddRange(results.Select(r => $"({r.Created}, {r.Value})"));
            """);
        Assert.Equal(
            ["Pending 0", "Ok 10", "(False, 11)", "(False, 12)", "(False, 13)", "(True, 1)", "(False, 13)"], log);
    }

    [Fact]
    public async Task Statuses_of_a_batch_without_outputs()
    {
        string[] log = await Run(Sources.Clicks, """
            var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1) };
            await using var store = await Demo.Clicks.OpenAsync(null, options);
            await using var session = store.StartSession();
            for (long i = 0; i < 80_000; i++) await session.UpsertAsync(i, i);
            var statuses = new Status[5];
            session.Rmw([1, -1, 79_999, -1, 2], [1, 1, 1, 1, 1], statuses, session.SerialNumber + 1);
            log.Add(string.Join(" ", statuses));
            try { session.Rmw([1], [1], statuses); }
            catch (ArgumentException e) { log.Add(e.ParamName!); }
            """);
        Assert.Equal(["Ok Created Ok Ok Ok", "statuses"], log);
    }

    [Fact]
    public async Task The_output_is_that_of_the_updater_whose_value_is_stored()
    {
        string[] log = await Run(Lengths, """
            var options = new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(1), Expert = new() { PageSize = ByteSize.KiB(4) },
            };
            await using var store = await Lengths.OpenAsync(null, options);
            await using var session = store.StartSession();
            foreach (int length in new[] { 100, 50, 1_000, 20_000, 30_000, 10 })
            {
                Status status = session.Rmw(1, length, out string? output);
                if (status == Status.Pending) output = (await session.RmwAsync(1, length)).Value;
                log.Add($"{output}, {(await session.ReadAsync(1)).Value!.Length}");
            }

            log.Add((await session.RmwAsync(2, 50_000)).ToString());
            """);
        string created = "RmwResult { Created = True, Value = new }";
        Assert.Equal(
            ["new, 100", "in place, 50", "copy of 50, 1000", "copy of 1000, 20000", "copy of 20000, 30000",
                "copy of 30000, 10", created],
            log);
    }

    [Fact]
    public async Task Threads_that_append_learn_where_their_items_lie()
    {
        string[] log = await Run(Lists, """
            const int Threads = 3, Each = 1_500, Keys = 3;
            var options = new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(1), Expert = new() { PageSize = ByteSize.KiB(4) },
            };
            await using var store = await Lists.OpenAsync(null, options);
            var places = new int[Threads * Each];
            int created = 0;
            await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(async () =>
            {
                await using var session = store.StartSession();
                for (int i = 0; i < Each; i++)
                {
                    int item = (thread * Each) + i;
                    RmwResult<int> result;
                    if (i % 2 == 0)
                    {
                        result = await session.RmwAsync(i % Keys, item);
                    }
                    else
                    {
                        var results = new RmwResult<int>[1];
                        session.Rmw([i % Keys], [item], results);
                        result = results[0];
                    }

                    places[item] = result.Value;
                    if (result.Created) Interlocked.Increment(ref created);
                }
            })));
            await using var reader = store.StartSession();
            var lists = new byte[Keys][];
            for (int key = 0; key < Keys; key++) lists[key] = (await reader.ReadAsync(key)).Value!;
            int wrong = places.Where((at, item) => at < 0
                || BitConverter.ToInt64(lists[item % Each % Keys], at) != item).Count();
            log.Add($"{created} created, {wrong} wrong, {lists.Sum(list => list.Length)} bytes");
            """);
        Assert.Equal(["3 created, 0 wrong, 36000 bytes"], log);
    }

    private static Task<string[]> Run(string store, string body) => Harness.RunAsync(store + $$"""

        public static class Program
        {
            public static async Task Run(List<string> log)
            {
                {{body}}
            }
        }
        """);
}
