using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Index;

namespace Faster.Checkpoints.Index;

/// <summary>Loads a checkpoint of the index into an empty table (docs/formats/index-checkpoint.md).</summary>
/// <remarks>Thread-safe: no state. No other thread uses the table.</remarks>
internal static class IndexCheckpointReader
{
    /// <summary>Loads a checkpoint.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="reference">The commit's reference to the checkpoint.</param>
    /// <param name="storeIdentity">The store's identity.</param>
    /// <param name="table">An empty table with the number of buckets that the commit records.</param>
    /// <param name="limit">Every address must be below this one.</param>
    /// <param name="onProgress">Called from time to time with the number of bytes read.</param>
    /// <exception cref="DamagedDataException">The file can't be trusted. The table must not be used then.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    /// <exception cref="LimitExceededException">The system does not grant the memory for overflow buckets.</exception>
    public static void Load(
        StoreFiles files, IndexReference reference, ulong storeIdentity, IndexTable table, long limit,
        Action<long>? onProgress = null)
    {
        using var file = new ChecksummedFileReader(
            files, reference.FileName, ChecksummedFileKind.Index, storeIdentity, reference.Identity, reference.Bytes);
        long count = file.Read<long>();
        if (count != table.BucketCount)
            throw file.Damaged($"it has {count} buckets, but its commit has {table.BucketCount}");
        new PackedIndexLoader(file, table, limit).Load(onProgress);
        file.ReadToEnd();
    }
}
