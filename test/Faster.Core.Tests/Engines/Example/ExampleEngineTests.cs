using System.IO.Pipelines;
using Faster.Contracts;

namespace Faster.Tests.Engines.Example;

/// <summary>A new engine under emitted code: its operations, its own capability, scans, closing, and misuse.</summary>
public sealed class ExampleEngineTests
{
    private static readonly Func<long, long> _addOne = static count => count + 1;

    [Fact]
    public async Task The_operations_do_what_the_contract_says()
    {
        await using WordCounts.Store store = await WordCounts.OpenAsync();
        await using WordCounts.Session session = store.StartSession();
        Assert.Equal(Status.NotFound, session.Read("a", out _));
        Assert.Equal(Status.Created, session.Rmw("a", _addOne, out long count));
        Assert.Equal(1, count);
        Assert.Equal(Status.Ok, session.Rmw("a", _addOne, out count));
        Assert.Equal(2, count);
        Assert.Equal(Status.Ok, session.Upsert("a", 7));
        Assert.Equal(Status.Ok, session.Upsert("a word longer than the key that the session keeps", 8));
        Assert.Equal(Status.Ok, session.Read("a", out count));
        Assert.Equal(7, count);
        Assert.Equal(2, store.Statistics.Records);
        Assert.Equal(Status.Ok, session.Delete("a"));
        Assert.Equal(Status.NotFound, session.Delete("a"));
        Assert.False((await session.ReadAsync("a")).Found);
        Assert.Equal(1, store.Statistics.Records);
    }

    [Fact]
    public async Task A_batch_runs_in_order()
    {
        await using WordCounts.Store store = await WordCounts.OpenAsync();
        await using WordCounts.Session session = store.StartSession();
        string[] words = ["b", "a", "b"];
        session.Upsert(words, [1, 2, 3]);
        var updated = new RmwResult<long>[3];
        session.Rmw(words, [_addOne, _addOne, _addOne], updated);
        Assert.Equal([4, 3, 5], updated.Select(static result => result.Value));
        var read = new ReadResult<long>[3];
        session.Delete(["a"]);
        session.Read(words, read);
        Assert.Equal([5, null, 5], read.Select(static result => result.Found ? result.Value : (long?)null));
    }

    [Fact]
    public async Task A_range_has_the_records_of_one_moment_in_order()
    {
        await using WordCounts.Store store = await WordCounts.OpenAsync();
        await using WordCounts.Session session = store.StartSession();
        session.Upsert(["pear", "fig", "apple", "plum", "quince"], [4, 3, 5, 4, 6]);
        Assert.Equal(["pear", "plum"], store.ReadRange("p"u8, "q"u8).Select(static record => record.Key));
        Assert.Equal(["apple", "fig"], store.ReadRange(""u8, "pear"u8).Select(static record => record.Key));
        Assert.Equal([5], store.ReadRange("a"u8, "b"u8).Select(static record => record.Value));
        Assert.Empty(store.ReadRange("z"u8, "zz"u8));
        Assert.Empty(store.ReadRange("q"u8, "a"u8));

        // Two keys that are set in turns, to numbers that follow each other: a range shows neighbors.
        session.Upsert(["x", "y"], [0, 1]);
        await using WordCounts.Session writer = store.StartSession();
        bool stop = false;
        Task writes = Task.Run(() =>
        {
            for (long i = 2; !Volatile.Read(ref stop); i++) _ = writer.Upsert(i % 2 == 0 ? "x" : "y", i);
        });
        for (int i = 0; i < 2_000; i++)
        {
            long[] range = [.. store.ReadRange("x"u8, "z"u8).Select(static record => record.Value)];
            Assert.Equal(2, range.Length);
            Assert.Equal(1, Math.Abs(range[0] - range[1]));
        }

        Volatile.Write(ref stop, true);
        await writes;
    }

    [Fact]
    public async Task Sessions_of_several_threads_lose_no_update()
    {
        const int Threads = 4, Updates = 20_000;
        await using WordCounts.Store store = await WordCounts.OpenAsync();
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() =>
        {
            using WordCounts.Session session = store.StartSession();
            for (int i = 0; i < Updates; i++) _ = session.Rmw($"word {(i + thread) % 16}", _addOne, out _);
        })));
        Assert.Equal(Threads * Updates, store.ReadRange(""u8, "~"u8).Sum(static record => record.Value));
        Assert.Equal(16, store.Statistics.Records);
    }

    [Fact]
    public async Task A_store_goes_to_another_engine_and_comes_back()
    {
        const int Count = 20_000; // several parts of a scan
        await using WordCounts.Store store = await WordCounts.OpenAsync();
        await using WordCounts.FasterStore other = await WordCounts.FasterStore.OpenAsync(null);
        await using WordCounts.Store back = await WordCounts.OpenAsync();
        await using WordCounts.Session session = store.StartSession();
        Fill(session, Count);

        long[] scanned = await store.ScanAsync().Select(static record => record.Value).ToArrayAsync();
        Assert.Equal(Enumerable.Range(0, Count).Select(static i => (long)i), scanned.Order());
        Assert.Equal(Count, await PassAsync(store, other));
        Assert.Equal(Count, await PassAsync(other, back));
        Assert.Equal(store.ReadRange(""u8, "~"u8), back.ReadRange(""u8, "~"u8));
        Assert.Throws<NotSupportedException>(() => store.ScanAsync(new ScanOptions { Scope = ScanScope.All }));
    }

    [Fact]
    public async Task An_update_that_throws_changes_nothing_and_a_full_store_refuses()
    {
        await using WordCounts.Store store =
            await WordCounts.OpenAsync(new ExampleOptions { MemoryBudget = ByteSize.KiB(1) });
        await using WordCounts.Session session = store.StartSession();
        _ = session.Upsert("a", 1);
        Assert.Throws<InvalidOperationException>(
            () => session.Rmw("a", static _ => throw new InvalidOperationException(), out _));
        Assert.Equal(Status.Ok, session.Read("a", out long count));
        Assert.Equal(1, count);
        Assert.Throws<LimitExceededException>(() => Fill(session, 100));
        Assert.InRange(store.Statistics.MemoryBytes, 500, 1024);
        foreach (WordCounts.Record record in store.ReadRange(""u8, "~"u8)) _ = session.Delete(record.Key);
        Assert.Equal(0, store.Statistics.MemoryBytes);
    }

    [Fact]
    public async Task Options_that_cannot_be_honored_are_refused()
    {
        await Assert.ThrowsAsync<StoreOpenException>(
            async () => await WordCounts.OpenAsync(new ExampleOptions { PopulateMemory = true }));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await WordCounts.OpenAsync(new ExampleOptions { CloseTimeout = TimeSpan.Zero }));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await WordCounts.OpenAsync(null, new CancellationToken(canceled: true)));
    }

    [Fact]
    public async Task Closed_sessions_and_stores_refuse_and_a_user_function_is_not_let_in()
    {
        WordCounts.Store store = await WordCounts.OpenAsync();
        WordCounts.Session session = store.StartSession(), other = store.StartSession();
        Assert.Throws<SessionMisuseException>(() => session.Rmw("a", Call(() => _ = session.Upsert("a", 1)), out _));
        Assert.Throws<SessionMisuseException>(() => session.Rmw("a", Call(() => _ = other.Upsert("a", 1)), out _));
        Assert.Throws<SessionMisuseException>(() => session.Rmw("a", Call(() => store.ReadRange([], [])), out _));
        Assert.Throws<SessionMisuseException>(() => session.Rmw("a", Call(() => store.StartSession()), out _));
        Assert.Throws<SessionMisuseException>(() => session.Rmw("a", Call(store.Dispose), out _));
        Assert.Equal(0, store.Statistics.Records);

        session.Dispose();
        session.Dispose();
        Assert.Throws<SessionMisuseException>(() => session.Upsert("a", 1));
        Assert.Equal(1, store.Statistics.Sessions);
        await using IAsyncEnumerator<WordCounts.Record> scan = store.ScanAsync().GetAsyncEnumerator();
        store.Dispose();
        await store.DisposeAsync();
        Assert.Throws<ObjectDisposedException>(() => other.Upsert("a", 1));
        Assert.Throws<ObjectDisposedException>(() => other.Read([], default(Span<ReadResult<long>>)));
        Assert.Throws<ObjectDisposedException>(() => store.StartSession());
        Assert.Throws<ObjectDisposedException>(() => store.ReadRange("a"u8, "b"u8));
        Assert.Throws<ObjectDisposedException>(() => store.Statistics);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await scan.MoveNextAsync());
    }

    private static void Fill(WordCounts.Session session, int words)
    {
        for (int i = 0; i < words; i++) _ = session.Upsert($"word {i}", i);
    }

    private static Func<long, long> Call(Action action) => count =>
    {
        action();
        return count;
    };

    private static async Task<long> PassAsync(IStore from, IStore to)
    {
        PipeReader reader = from.OpenReader();
        long records = await ((Faster.Stores.EngineStore)to).ImportAsync(reader);
        await reader.CompleteAsync();
        return records;
    }
}
