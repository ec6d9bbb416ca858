namespace Faster.Ycsb.Engines.Native;

/// <summary>A connection to a database of SQLite. One thread's at a time.</summary>
internal sealed class SqliteConnection : IDisposable
{
    private const int TimeoutMilliseconds = 60_000;

    /// <summary>Opens it.</summary>
    public SqliteConnection(string file)
    {
        int code = SqliteLibrary.Open(file, out nint handle, SqliteLibrary.OpenReadWriteCreateNoMutex, 0);
        Handle = handle;
        SqliteLibrary.Require(code, handle);
        SqliteLibrary.Require(SqliteLibrary.BusyTimeout(handle, TimeoutMilliseconds), handle);
    }

    /// <summary>What the library knows it by.</summary>
    public nint Handle { get; }

    /// <summary>Runs a statement.</summary>
    public void Execute(string sql) => SqliteLibrary.Require(SqliteLibrary.Execute(Handle, sql, 0, 0, 0), Handle);

    /// <summary>Prepares a statement.</summary>
    public nint Prepare(string sql)
    {
        SqliteLibrary.Require(SqliteLibrary.Prepare(Handle, sql, -1, out nint statement, 0), Handle);
        return statement;
    }

    /// <inheritdoc/>
    public void Dispose() => _ = SqliteLibrary.Close(Handle);
}
