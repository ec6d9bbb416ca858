using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>
/// Reads small files as a whole, and replaces them so that a crash leaves the old one or the new one.
/// </summary>
/// <remarks>Thread-safe, except for two calls on the same name at once.</remarks>
internal static unsafe class MetadataFile
{
    /// <summary>The suffix of a file's name until it is published.</summary>
    public const string TemporarySuffix = ".new";

    /// <summary>Reads a file as a whole.</summary>
    /// <exception cref="DamagedDataException">The file is missing, or longer than any of its kind can be.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public static byte[] Read(StoreFiles files, string name, MetadataKind kind, out string path)
    {
        using StoreFile file = files.Open(name);
        path = file.Path;
        long length = file.Length;
        if (length > MetadataKind.MaxBytes)
            throw kind.Damaged(path, length, $"it has {length} bytes, which no {kind.Name} has");
        byte[] bytes = new byte[length];
        if (length == 0) return bytes;
        fixed (byte* buffer = bytes) file.Read(buffer, bytes.Length, 0);
        return bytes;
    }

    /// <summary>
    /// Writes a file beside the old one and makes its content durable; <see cref="Publish"/> comes next.
    /// </summary>
    /// <exception cref="StorageException">The write or the sync failed.</exception>
    public static void Prepare(StoreFiles files, string name, byte[] bytes)
    {
        using StoreFile file = files.Create(name + TemporarySuffix);
        fixed (byte* buffer = bytes) file.Write(buffer, bytes.Length, 0);
        file.Sync();
    }

    /// <summary>
    /// Renames a prepared file to the final name, which replaces the old file, and makes that durable.
    /// </summary>
    /// <exception cref="StorageException">The rename or the sync of the names failed.</exception>
    public static void Publish(StoreFiles files, string name)
    {
        files.Rename(name + TemporarySuffix, name);
        files.SyncNames();
    }
}
