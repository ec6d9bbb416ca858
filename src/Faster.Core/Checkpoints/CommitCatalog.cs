using Faster.Devices;

namespace Faster.Checkpoints;

internal sealed class CommitCatalog
{
    public static void BeginEmpty(StoreFiles files)
    {
        foreach (string name in files.List())
        {
            bool ours = StoreFileNames.IsSegment(name) || StoreFileNames.IsIndex(name)
                || StoreFileNames.IsSnapshot(name) || StoreFileNames.IsTemporary(name);
            if (ours) files.Delete(name);
        }

        files.SyncNames();
    }
}
