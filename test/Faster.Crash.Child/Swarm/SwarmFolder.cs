using Faster.Devices.Folders;

namespace Faster.Crash.Swarm;

/// <summary>A folder on the machine's disk; the process that uses it crashes.</summary>
/// <param name="path">The folder.</param>
/// <param name="stays">Whether it is kept for another process when this one has ended.</param>
internal sealed class SwarmFolder(string path, bool stays = false) : ISwarmMedium
{
    /// <inheritdoc/>
    public bool HasCrashed => false;

    /// <inheritdoc/>
    public StoreFiles Mount() => FolderFiles.OpenFolder(path);

    /// <inheritdoc/>
    public void GoOn() { }

    /// <summary>Deletes it, unless it is kept.</summary>
    public void Dispose()
    {
        if (!stays && Directory.Exists(path)) Directory.Delete(path, recursive: true);
    }
}
