using CountStore.Input;

namespace CountStore.Commands;

/// <summary>The store's folder: the user's, which stays, or a temporary one, which is removed.</summary>
internal sealed class DataFolder : IDisposable
{
    private readonly bool _isTemporary;

    private DataFolder(string path, bool isTemporary) => (Path, _isTemporary) = (path, isTemporary);

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>Takes the user's folder, or makes a temporary one where the user names none.</summary>
    /// <exception cref="InputException">The user's folder holds something already.</exception>
    public static DataFolder Open(string? named)
    {
        if (named is null) return new DataFolder(
            Directory.CreateTempSubdirectory("countstore-").FullName, isTemporary: true);
        if (Directory.Exists(named) && Directory.EnumerateFileSystemEntries(named).Any())
            throw new InputException($"--data '{named}' is not empty: name a new or empty folder.");
        return new DataFolder(named, isTemporary: false);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isTemporary) Directory.Delete(Path, recursive: true);
    }
}
