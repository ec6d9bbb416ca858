using System.Runtime.InteropServices;

namespace Faster.Ycsb.Engines.Native;

/// <summary>The functions of RocksDB that the driver calls; flags are bytes.</summary>
internal static unsafe partial class RocksLibrary
{
    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_create")]
    public static partial nint CreateOptions();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_create_if_missing")]
    public static partial void SetCreateIfMissing(nint options, byte value);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_increase_parallelism")]
    public static partial void IncreaseParallelism(nint options, int threads);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_compression")]
    public static partial void SetCompression(nint options, int kind);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_write_buffer_size")]
    public static partial void SetWriteBuffer(nint options, nuint bytes);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_max_write_buffer_number")]
    public static partial void SetWriteBuffers(nint options, int count);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_use_direct_reads")]
    public static partial void SetDirectReads(nint options, byte value);

    [LibraryImport(
        NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_use_direct_io_for_flush_and_compaction")]
    public static partial void SetDirectWrites(nint options, byte value);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_block_based_table_factory")]
    public static partial void SetTable(nint options, nint table);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_block_based_options_create")]
    public static partial nint CreateTable();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_block_based_options_set_block_cache")]
    public static partial void SetCache(nint table, nint cache);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_block_based_options_set_filter_policy")]
    public static partial void SetFilter(nint table, nint filter);

    [LibraryImport(
        NativeLibraries.RocksDb, EntryPoint = "rocksdb_block_based_options_set_cache_index_and_filter_blocks")]
    public static partial void SetCacheOfIndex(nint table, byte value);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_cache_create_lru")]
    public static partial nint CreateCache(nuint bytes);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_filterpolicy_create_bloom")]
    public static partial nint CreateBloom(double bitsPerKey);

    [LibraryImport(
        NativeLibraries.RocksDb, EntryPoint = "rocksdb_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Open(nint options, string folder, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_close")]
    public static partial void Close(nint store);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writeoptions_create")]
    public static partial nint CreateWriteOptions();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writeoptions_disable_WAL")]
    public static partial void SetDisableLog(nint options, int value);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writeoptions_set_sync")]
    public static partial void SetSync(nint options, byte value);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_set_recycle_log_file_num")]
    public static partial void SetRecycledLogs(nint options, nuint count);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_enable_statistics")]
    public static partial void EnableStatistics(nint options);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_options_statistics_get_string")]
    public static partial nint Statistics(nint options);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_free")]
    public static partial void Free(nint memory);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writebatch_create")]
    public static partial nint CreateBatch();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writebatch_destroy")]
    public static partial void DestroyBatch(nint batch);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writebatch_clear")]
    public static partial void ClearBatch(nint batch);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_writebatch_put")]
    public static partial void PutInBatch(
        nint batch, byte* key, nuint keyLength, byte* value, nuint valueLength);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_write")]
    public static partial void Write(nint store, nint options, nint batch, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_readoptions_create")]
    public static partial nint CreateReadOptions();

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_put")]
    public static partial void Put(
        nint store, nint options, byte* key, nuint keyLength, byte* value, nuint valueLength, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_get_pinned")]
    public static partial nint Get(nint store, nint options, byte* key, nuint keyLength, out nint error);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_pinnableslice_value")]
    public static partial byte* ValueOf(nint slice, out nuint length);

    [LibraryImport(NativeLibraries.RocksDb, EntryPoint = "rocksdb_pinnableslice_destroy")]
    public static partial void Destroy(nint slice);

    /// <summary>Requires that a call succeeded.</summary>
    public static void Require(nint error)
    {
        if (error != 0)
            throw new IOException($"RocksDB failed: {Marshal.PtrToStringUTF8(error)}");
    }
}
