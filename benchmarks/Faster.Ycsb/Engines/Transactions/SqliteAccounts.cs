using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>
/// SQLite with prepared statements: in memory, where all clients share a connection in turn, or with a write-ahead log
/// that is synced by each commit, a connection for each client, of which one at a time updates.
/// </summary>
internal sealed class SqliteAccounts : ITransactionEngine
{
    private readonly string _file;
    private readonly bool _isDurable;
    private readonly SqliteConnection _first; // keeps the database in memory
    private readonly Lock _turn = new();

    /// <summary>Makes an empty table.</summary>
    public SqliteAccounts(string folder, bool isDurable)
    {
        _isDurable = isDurable;
        _file = isDurable ? Path.Combine(folder, "sqlite.db") : ":memory:";
        _first = Open();
        _first.Execute("CREATE TABLE kv (k INTEGER PRIMARY KEY, v INTEGER NOT NULL)");
    }

    /// <inheritdoc/>
    public void Load(int keys)
    {
        nint insert = _first.Prepare("INSERT INTO kv VALUES (?, ?)");
        _first.Execute("BEGIN");
        for (long key = 0; key < keys; key++)
        {
            Require(SqliteLibrary.Bind(insert, 1, key));
            Require(SqliteLibrary.Bind(insert, 2, key));
            Require(SqliteLibrary.Step(insert));
            Require(SqliteLibrary.Reset(insert));
        }

        _first.Execute("COMMIT");
        _ = SqliteLibrary.Finalize(insert);
    }

    /// <inheritdoc/>
    public ITransactionWorker StartTransactions() =>
        new Worker(_isDurable ? Open() : _first, _turn, owns: _isDurable, sharesReads: _isDurable);

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _first.Dispose();
        return ValueTask.CompletedTask;
    }

    private SqliteConnection Open()
    {
        var connection = new SqliteConnection(_file);
        if (!_isDurable) return connection;
        connection.Execute("PRAGMA journal_mode=WAL");
        connection.Execute("PRAGMA synchronous=FULL");
        return connection;
    }

    private void Require(int code) => SqliteLibrary.Require(code, _first.Handle);

    private sealed class Worker : ITransactionWorker
    {
        private readonly SqliteConnection _connection;
        private readonly Lock _turn;
        private readonly bool _owns, _sharesReads;
        private readonly nint _begin, _beginWriting, _commit, _read, _add;

        public Worker(SqliteConnection connection, Lock turn, bool owns, bool sharesReads)
        {
            (_connection, _turn, _owns, _sharesReads) = (connection, turn, owns, sharesReads);
            lock (turn)
            {
                _begin = connection.Prepare("BEGIN");
                _beginWriting = connection.Prepare("BEGIN IMMEDIATE");
                _commit = connection.Prepare("COMMIT");
                _read = connection.Prepare("SELECT v FROM kv WHERE k = ?");
                _add = connection.Prepare("UPDATE kv SET v = v + ? WHERE k = ?");
            }
        }

        public long Run(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            if (updates.IsEmpty && _sharesReads) return RunAlone(reads, updates, amount);
            lock (_turn) return RunAlone(reads, updates, amount); // SQLite's own waiting sleeps for milliseconds
        }

        public void Dispose()
        {
            lock (_turn)
            {
                foreach (nint statement in new[] { _begin, _beginWriting, _commit, _read, _add })
                    _ = SqliteLibrary.Finalize(statement);
                if (_owns) _connection.Dispose();
            }
        }

        private long RunAlone(ReadOnlySpan<long> reads, ReadOnlySpan<long> updates, long amount)
        {
            long sum = 0;
            Step(updates.IsEmpty ? _begin : _beginWriting);
            foreach (long key in reads)
            {
                Require(SqliteLibrary.Bind(_read, 1, key));
                int code = SqliteLibrary.Step(_read);
                Require(code);
                if (code != SqliteLibrary.Row) throw new WrongAnswerException($"SQLite lost key {key}.");
                sum += SqliteLibrary.Number(_read, 0);
                Require(SqliteLibrary.Reset(_read));
            }

            foreach (long key in updates)
            {
                Require(SqliteLibrary.Bind(_add, 1, amount));
                Require(SqliteLibrary.Bind(_add, 2, key));
                Step(_add);
            }

            Step(_commit);
            return sum;
        }

        private void Step(nint statement)
        {
            Require(SqliteLibrary.Step(statement));
            Require(SqliteLibrary.Reset(statement));
        }

        private void Require(int code) => SqliteLibrary.Require(code, _connection.Handle);
    }
}
