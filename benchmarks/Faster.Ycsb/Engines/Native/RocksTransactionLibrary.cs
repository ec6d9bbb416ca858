using System.Runtime.InteropServices;

namespace Faster.Ycsb.Engines.Native;

/// <summary>The functions of RocksDB's transactions that the driver calls; flags are bytes.</summary>
internal static unsafe partial class RocksTransactionLibrary
{
    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transactiondb_options_create")]
    public static partial nint CreateOptions();

    [LibraryImport(
        NativeLibraries.RocksDb, EntryPoint = "rocksdb_transactiondb_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Open(nint options, nint transactionOptions, string folder, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transactiondb_close")]
    public static partial void Close(nint store);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transactiondb_put")]
    public static partial void Put(
        nint store, nint options, byte* key, nuint keyLength, byte* value, nuint valueLength, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_options_create")]
    public static partial nint CreateTransactionOptions();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_options_set_lock_timeout")]
    public static partial void SetLockTimeout(nint options, long milliseconds);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_begin")]
    public static partial nint Begin(nint store, nint writeOptions, nint transactionOptions, nint reused);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_get_for_update")]
    public static partial byte* GetForUpdate(
        nint transaction, nint options, byte* key, nuint keyLength, out nuint valueLength, byte isExclusive,
        out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_put")]
    public static partial void Put(
        nint transaction, byte* key, nuint keyLength, byte* value, nuint valueLength, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_commit")]
    public static partial void Commit(nint transaction, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_transaction_destroy")]
    public static partial void Destroy(nint transaction);
}
