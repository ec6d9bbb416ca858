using Faster.Devices;

namespace Faster.Crash.Swarm;

/// <summary>What a store of the swarm lies on.</summary>
internal interface ISwarmMedium : IDisposable
{
    /// <summary>Its files, for one opening.</summary>
    StoreFiles Mount(SwarmPlan plan);
}

/// <summary>A folder of the machine's disk, which is deleted at the end.</summary>
internal sealed class SwarmFolder(string path) : ISwarmMedium
{
    public StoreFiles Mount(SwarmPlan plan) => FolderFiles.OpenFolder(path);

    public void Dispose()
    {
        if (Directory.Exists(path)) Directory.Delete(path, recursive: true);
    }
}
