using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>A folder of the machine's disk; what crashes is the process that uses it.</summary>
/// <param name="path">The folder.</param>
/// <param name="stays">Whether it is there for another process when this one is done.</param>
internal sealed class SwarmFolder(string path, bool stays = false) : ISwarmMedium
{
    /// <inheritdoc/>
    public bool HasCrashed => false;

    /// <inheritdoc/>
    public StoreFiles Mount() => FolderFiles.OpenFolder(path);

    /// <inheritdoc/>
    public void GoOn() { }

    /// <summary>Deletes it, unless it stays.</summary>
    public void Dispose()
    {
        if (!stays && Directory.Exists(path)) Directory.Delete(path, recursive: true);
    }
}
