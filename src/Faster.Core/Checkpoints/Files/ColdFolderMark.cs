using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>
/// Says to which store a folder with a cold tier belongs (docs/formats/store-metadata.md#the-folder-of-a-cold-tier).
/// </summary>
/// <remarks>
/// Written once, after the store's metadata and before any commit and any other file of the folder. Immutable;
/// thread-safe.
/// </remarks>
/// <param name="Identity">The store's identity.</param>
/// <param name="Owner">The store's folder when this was written: a hint for messages.</param>
internal sealed record ColdFolderMark(ulong Identity, string Owner)
{
    /// <summary>The name of the file within the folder of the cold tier.</summary>
    public const string FileName = "cold.meta";

    /// <summary>Reads the mark of a folder; null when it has none.</summary>
    /// <exception cref="DamagedDataException">It is damaged or of another version.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public static ColdFolderMark? TryRead(StoreFiles files)
    {
        if (!files.List().Contains(FileName)) return null;
        byte[] bytes = MetadataFile.Read(files, FileName, MetadataKind.ColdFolder, out string path);
        var reader = new MetadataReader(MetadataKind.ColdFolder, path, bytes);
        var mark = new ColdFolderMark(reader.Next<ulong>(), reader.NextText());
        reader.End();
        return mark;
    }

    /// <summary>Writes the file and makes it durable.</summary>
    /// <exception cref="StorageException">It can't be written.</exception>
    public void Publish(StoreFiles files)
    {
        var writer = new MetadataWriter(MetadataKind.ColdFolder);
        writer.Add(Identity);
        writer.Add(Owner);
        MetadataFile.Prepare(files, FileName, writer.End());
        MetadataFile.Publish(files, FileName);
    }
}
