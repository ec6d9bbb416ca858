using Faster.Checkpoints;
using Faster.Devices.Folders;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Checkpoints;

/// <summary>Publishes commits whose files are there, without a store.</summary>
internal static class PublishedCommits
{
    public static CommitRecord OfFile(long version) => new()
    {
        Version = version, Kind = CommitKind.Snapshot,
        Parts = [new CommittedPart { Name = "table", File = FileOf(version) }],
    };

    public static CommitRecord Sample(long version) => Full(version) with { Previous = version - 1 };

    public static CommitCatalog Publish(FolderFiles files, params long[] versions)
    {
        var catalog = new CommitCatalog(files, Owner);
        foreach (long version in versions) PublishNext(files, catalog, version);
        return catalog;
    }

    public static void PublishNext(FolderFiles files, CommitCatalog catalog, long version)
    {
        CommitRecord record = Sample(version);
        foreach (FileReference file in record.Parts.SelectMany(static part => part.Files))
            if (!files.List().Contains(file.FileName)) Make(files, file.FileName, file.Bytes);
        catalog.Publish(record);
        catalog.RemoveUnneeded();
    }

    public static unsafe void Make(FolderFiles files, string name, long length)
    {
        using StoreFile file = files.Create(name);
        byte[] bytes = new byte[length];
        fixed (byte* buffer = bytes) file.Write(buffer, bytes.Length, 0);
        file.Sync();
    }
}
