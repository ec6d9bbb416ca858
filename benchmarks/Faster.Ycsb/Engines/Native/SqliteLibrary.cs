using System.Runtime.InteropServices;

namespace Faster.Ycsb.Engines.Native;

/// <summary>The functions of SQLite that the driver calls.</summary>
internal static unsafe partial class SqliteLibrary
{
    public const int Ok = 0;
    public const int Row = 100;
    public const int Done = 101;
    public const int OpenReadWriteCreateNoMutex = 0x2 | 0x4 | 0x8000;

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_open_v2", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string file, out nint connection, int flags, nint vfs);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_close_v2")]
    public static partial int Close(nint connection);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_exec", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Execute(nint connection, string sql, nint callback, nint argument, nint error);

    [LibraryImport(
        NativeLibraries.Sqlite, EntryPoint = "sqlite3_prepare_v2", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Prepare(nint connection, string sql, int length, out nint statement, nint tail);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_finalize")]
    public static partial int Finalize(nint statement);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_step")]
    public static partial int Step(nint statement);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_reset")]
    public static partial int Reset(nint statement);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_bind_int64")]
    public static partial int Bind(nint statement, int parameter, long value);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_bind_blob")]
    public static partial int Bind(nint statement, int parameter, byte* value, int length, nint destructor);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_column_int64")]
    public static partial long Number(nint statement, int column);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_column_blob")]
    public static partial byte* Blob(nint statement, int column);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_column_bytes")]
    public static partial int Length(nint statement, int column);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_busy_timeout")]
    public static partial int BusyTimeout(nint connection, int milliseconds);

    [LibraryImport(NativeLibraries.Sqlite, EntryPoint = "sqlite3_errmsg")]
    private static partial nint Message(nint connection);

    /// <summary>Requires that a call succeeded.</summary>
    public static void Require(int code, nint connection)
    {
        if (code is not (Ok or Row or Done))
            throw new IOException($"SQLite failed with {code}: {Marshal.PtrToStringUTF8(Message(connection))}");
    }
}
