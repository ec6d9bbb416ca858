using System.Runtime.InteropServices;

namespace Faster.Ycsb.Engines.Native;

/// <summary>The functions of LMDB that the driver calls.</summary>
internal static unsafe partial class LmdbLibrary
{
    public const int NotFound = -30798;
    public const uint ReadOnly = 0x20000;
    public const uint NoSync = 0x10000;
    public const uint WriteMap = 0x80000;
    public const uint NoThreadLocalReaders = 0x200000;
    public const uint NoReadAhead = 0x800000;
    public const uint IntegerKeys = 0x08;

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_env_create")]
    public static partial int Create(out nint environment);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_env_set_mapsize")]
    public static partial int SetMapSize(nint environment, nuint bytes);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_env_set_maxreaders")]
    public static partial int SetMaxReaders(nint environment, uint count);

    [LibraryImport(
        NativeLibraries.Lmdb, EntryPoint = "mdb_env_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(nint environment, string folder, uint flags, uint mode);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_env_close")]
    public static partial void Close(nint environment);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_txn_begin")]
    public static partial int Begin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_txn_commit")]
    public static partial int Commit(nint transaction);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_txn_abort")]
    public static partial void Abort(nint transaction);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_txn_reset")]
    public static partial void Reset(nint transaction);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_txn_renew")]
    public static partial int Renew(nint transaction);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_dbi_open")]
    public static partial int OpenTable(nint transaction, nint name, uint flags, out uint table);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_get")]
    public static partial int Get(nint transaction, uint table, Slice* key, Slice* value);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_put")]
    public static partial int Put(nint transaction, uint table, Slice* key, Slice* value, uint flags);

    [LibraryImport(NativeLibraries.Lmdb, EntryPoint = "mdb_strerror")]
    private static partial nint Message(int code);

    /// <summary>Requires that a call succeeded.</summary>
    public static void Require(int code)
    {
        if (code != 0)
            throw new IOException($"LMDB failed with {code}: {Marshal.PtrToStringUTF8(Message(code))}");
    }

    /// <summary>A span of memory.</summary>
    public struct Slice
    {
        public nuint Length;
        public byte* Start;
    }
}
