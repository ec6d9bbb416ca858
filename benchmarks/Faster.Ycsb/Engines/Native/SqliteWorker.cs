using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>A connection to SQLite with its statements.</summary>
internal sealed unsafe class SqliteWorker : NativeWorker
{
    private readonly SqliteConnection _connection;
    private readonly nint _begin;
    private readonly nint _beginWriting;
    private readonly nint _commit;
    private readonly nint _read;
    private readonly nint _put;
    private readonly nint _addOne;
    private readonly byte[] _rest;
    private readonly Lock _writing;

    /// <summary>Prepares the statements.</summary>
    /// <param name="connection">The connection; the worker closes it.</param>
    /// <param name="restBytes">The bytes of a value after its word.</param>
    /// <param name="writing">A lock to hold while it sets values.</param>
    public SqliteWorker(SqliteConnection connection, int restBytes, Lock writing)
    {
        _writing = writing;
        _connection = connection;
        _begin = connection.Prepare("BEGIN");
        _beginWriting = connection.Prepare("BEGIN IMMEDIATE");
        _commit = connection.Prepare("COMMIT");
        _read = connection.Prepare("SELECT word, rest FROM kv WHERE k = ?");
        _put = connection.Prepare("REPLACE INTO kv VALUES (?, ?, ?)");
        _addOne = connection.Prepare("UPDATE kv SET word = word + 1 WHERE k = ?");
        _rest = GC.AllocateArray<byte>(Math.Max(1, restBytes), pinned: true);
        RestBytes = restBytes;
    }

    private int RestBytes { get; }

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        lock (_writing)
            base.Upsert(keys, mask);
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        foreach (nint statement in new[] { _begin, _beginWriting, _commit, _read, _put, _addOne })
            _ = SqliteLibrary.Finalize(statement);
        _connection.Dispose();
    }

    /// <inheritdoc/>
    protected override void Begin(bool writes) => Run(writes ? _beginWriting : _begin);

    /// <inheritdoc/>
    protected override void End() => Run(_commit);

    /// <inheritdoc/>
    protected override long ReadWord(long key)
    {
        Require(SqliteLibrary.Bind(_read, 1, key));
        int code = SqliteLibrary.Step(_read);
        Require(code);
        if (code != SqliteLibrary.Row)
            throw new WrongAnswerException($"SQLite lost key {key}.");
        long word = SqliteLibrary.Number(_read, 0);
        new ReadOnlySpan<byte>(SqliteLibrary.Blob(_read, 1), SqliteLibrary.Length(_read, 1)).CopyTo(_rest);
        Require(SqliteLibrary.Reset(_read));
        return word;
    }

    /// <inheritdoc/>
    protected override void Put(long key, long word)
    {
        Require(SqliteLibrary.Bind(_put, 1, key));
        Require(SqliteLibrary.Bind(_put, 2, word));
        fixed (byte* rest = _rest)
            Require(SqliteLibrary.Bind(_put, 3, rest, RestBytes, 0));
        Run(_put);
    }

    /// <inheritdoc/>
    protected override void AddOne(long key)
    {
        Require(SqliteLibrary.Bind(_addOne, 1, key));
        Run(_addOne);
    }

    private void Run(nint statement)
    {
        Require(SqliteLibrary.Step(statement));
        Require(SqliteLibrary.Reset(statement));
    }

    private void Require(int code) => SqliteLibrary.Require(code, _connection.Handle);
}
