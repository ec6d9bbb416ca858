using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// Reads small files as a whole, and publishes them so that a crash leaves the old one or the new one.
/// </summary>
/// <remarks>Thread-safe, but for two calls on one name at once.</remarks>
internal static unsafe class MetadataFile
{
    /// <summary>What a file's name ends with until it is published.</summary>
    public const string TemporarySuffix = ".new";

    /// <summary>Reads all of a file.</summary>
    /// <exception cref="DamagedDataException">It is missing, or far too long.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public static byte[] Read(StoreFiles files, string name, MetadataKind kind, out string path)
    {
        using StoreFile file = files.Open(name);
        path = file.Path;
        long length = file.Length;
        if (length > MetadataKind.MostBytes)
            throw kind.Damaged(path, length, $"it has {length} bytes, which no {kind.Name} has");
        byte[] bytes = new byte[length];
        if (length == 0) return bytes;
        fixed (byte* buffer = bytes) file.Read(buffer, bytes.Length, 0);
        return bytes;
    }

    /// <summary>Writes a file beside the old one and makes it durable; <see cref="Publish"/> comes next.</summary>
    /// <exception cref="StorageException">The write or the sync failed.</exception>
    public static void Prepare(StoreFiles files, string name, byte[] bytes)
    {
        using StoreFile file = files.Create(name + TemporarySuffix);
        fixed (byte* buffer = bytes) file.Write(buffer, bytes.Length, 0);
        file.Sync();
    }

    /// <summary>Puts a prepared file in the place of the old one, and makes that durable.</summary>
    /// <exception cref="StorageException">The renaming or the sync of the names failed.</exception>
    public static void Publish(StoreFiles files, string name)
    {
        files.Rename(name + TemporarySuffix, name);
        files.SyncNames();
    }
}
