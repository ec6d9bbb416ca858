using Faster.Ycsb.Reports;

namespace Faster.Ycsb.Running;

/// <summary>A new folder for one store, removed with all that is in it when it is disposed of.</summary>
internal sealed class DataFolder : IDisposable
{
    private const string Prefix = "faster-ycsb-";

    private DataFolder(string path) => Path = path;

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>Makes a folder, below the one that the user names or the system's temporary one.</summary>
    /// <exception cref="UsageException">The user's folder does not exist.</exception>
    public static DataFolder Create(string? parent)
    {
        if (parent is null)
            return new DataFolder(Directory.CreateTempSubdirectory(Prefix).FullName);
        if (!Directory.Exists(parent))
            throw new UsageException($"--data '{parent}' is no folder: name one that exists, on the disk to measure.");
        string path = System.IO.Path.Combine(System.IO.Path.GetFullPath(parent), Prefix + Guid.NewGuid().ToString("N"));
        return new DataFolder(Directory.CreateDirectory(path).FullName);
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(Path, recursive: true);
}
