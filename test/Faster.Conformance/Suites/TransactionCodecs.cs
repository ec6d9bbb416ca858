using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Suites;

/// <summary>Transactions on keys and values that vary in length, and are decoded and encoded around them.</summary>
/// <typeparam name="TEngine">The engine.</typeparam>
public abstract class TransactionCodecs<TEngine>
    where TEngine : ITransactionEngine
{
    [Fact]
    public Task An_object_is_read_changed_and_stored() => WithDocuments(async session =>
    {
        Assert.Equal(TransactionStatus.Committed, session.Append("a", "first"));
        Assert.Equal(TransactionStatus.Committed, await session.AppendAsync("a", "second, longer than the first"));
        Assert.Equal(TransactionStatus.Aborted, session.Append("a", ""));
        var statuses = new TransactionStatus[3];
        session.AppendBatch(["b", "c", "b"], ["x", "", "y"], statuses);
        Assert.Equal(
            [TransactionStatus.Committed, TransactionStatus.Aborted, TransactionStatus.Committed], statuses);
        Assert.Equal("a first second, longer than the first", LinesOf(session, "a"));
        Assert.Equal("b x y", LinesOf(session, "b"));
        Assert.Null(LinesOf(session, "c"));
    });

    [Fact]
    public Task A_set_of_objects_shares_them_with_single_records() => WithDocuments(async session =>
    {
        foreach (string key in (string[])["a", "b", "c"]) _ = session.Append(key, "1");
        Assert.Equal(TransactionStatus.Committed, session.Join("a", ["b", "a", "missing", "b"], out int lines));
        Assert.Equal(4, lines);
        Assert.Equal("a 1 b 1", LinesOf(session, "a"));
        Assert.Null(LinesOf(session, "b"));
        Assert.Equal(new(TransactionStatus.Committed, 6), await session.JoinAsync("c", ["a"]));
        Assert.Equal("c 1 a 1 b 1", LinesOf(session, "c"));
        var results = new TransactionResult<int>[2];
        session.JoinBatch(["d", "e"], [new[] { "c", "x" }, new[] { "d", "c" }], results);
        Assert.Equal([new(TransactionStatus.Committed, 6), new(TransactionStatus.Committed, 6)], results);
        Assert.Null(LinesOf(session, "c"));
        Assert.Null(LinesOf(session, "d"));
        Assert.Equal("c 1 a 1 b 1", LinesOf(session, "e"));
    });

    [Fact]
    public Task A_dynamic_transaction_of_objects_moves_one() => WithDocuments(async session =>
    {
        _ = session.Append("a", "1");
        Assert.Equal(TransactionStatus.Committed, session.Rename("a", "a key longer than the other one"));
        Assert.Equal(TransactionStatus.Aborted, await session.RenameAsync("a", "b"));
        Assert.Equal("a 1", LinesOf(session, "a key longer than the other one"));
        Assert.Null(LinesOf(session, "a"));
        Assert.Null(LinesOf(session, "b"));
    });

    [Fact]
    public Task A_key_that_is_null_is_refused() => WithDocuments(session =>
    {
        Assert.Throws<ArgumentNullException>(() => session.Append(null!, "1"));
        Assert.Throws<ArgumentNullException>(() => session.Join("a", [null!], out _));
        Assert.Null(LinesOf(session, "a"));
        return Task.CompletedTask;
    });

    [Fact]
    public Task Bytes_grow_and_are_empty_or_absent() => WithNotes(async session =>
    {
        Assert.Equal(TransactionStatus.Aborted, session.Copy([1], [2]));
        _ = session.Upsert([1], [7, 8, 9]);
        Assert.Equal(TransactionStatus.Committed, session.Copy([1], [2]));
        Assert.Equal(TransactionStatus.Committed, await session.CopyAsync([1], [2]));
        Assert.Equal([2, 7, 8, 9, 2, 7, 8, 9], BytesOf(session, [2])!);
        session.Swap([2], [3]);
        Assert.Null(BytesOf(session, [2]));
        Assert.Equal(8, BytesOf(session, [3])!.Length);
        var statuses = new TransactionStatus[2];
        ReadOnlyMemory<byte>[] filled = [new byte[] { 3 }, new byte[] { 4 }];
        session.FillBatch([filled, default], [[], null], statuses);
        Assert.Equal([], BytesOf(session, [3])!);
        Assert.Equal([], BytesOf(session, [4])!);
        session.Fill([new byte[] { 3 }, new byte[] { 5 }], null);
        Assert.Null(BytesOf(session, [3]));
        Assert.Null(BytesOf(session, [5]));
        for (int i = 0; i < 12; i++) await session.DoubleAsync([1]);
        Assert.Equal(3 << 12, BytesOf(session, [1])!.Length);
        session.Double([9]);
        Assert.Equal([], BytesOf(session, [9])!);
    });

    private static string? LinesOf(Documents.ISession session, string key) =>
        session.Read(key, out Document? found) == Status.Ok ? string.Join(' ', found!.Lines) : null;

    private static byte[]? BytesOf(Notes.ISession session, byte[] key) =>
        session.Read(key, out byte[]? found) == Status.Ok ? found : null;

    private static Task WithDocuments(Func<Documents.ISession, Task> test) => Task.Run(async () =>
    {
        await using Documents.IStore store = await TEngine.OpenDocumentsAsync();
        await using Documents.ISession session = store.StartSession();
        await test(session);
    });

    private static Task WithNotes(Func<Notes.ISession, Task> test) => Task.Run(async () =>
    {
        await using Notes.IStore store = await TEngine.OpenNotesAsync();
        await using Notes.ISession session = store.StartSession();
        await test(session);
    });
}
