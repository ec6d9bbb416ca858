namespace Faster.Devices;

/// <summary>
/// The lock that keeps a second writer out of a store's folder: an empty file, held open without sharing.
/// </summary>
/// <remarks>The system lets go of it when the process ends, however it ends. Thread-safe.</remarks>
internal sealed class FolderLock : IDisposable
{
    /// <summary>The file's name.</summary>
    public const string FileName = "store.lock";

    private readonly FileStream _file;

    private FolderLock(FileStream file) => _file = file;

    /// <summary>Makes a folder, if it does not exist, and takes its lock.</summary>
    /// <param name="folder">The folder, as a full path.</param>
    /// <exception cref="StoreOpenException">It is a file, not writable, or open elsewhere.</exception>
    public static FolderLock Take(string folder)
    {
        if (File.Exists(folder))
            throw new StoreOpenException(
                $"'{folder}' is a file. Name a folder for the store, or one that does not exist yet.");
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StoreOpenException($"The folder '{folder}' can't be made: {e.Message}", e);
        }

        try
        {
            return new FolderLock(new FileStream(
                Path.Combine(folder, FileName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
        }
        catch (UnauthorizedAccessException e)
        {
            throw new StoreOpenException($"The folder '{folder}' is not writable: {e.Message}", e);
        }
        catch (IOException e)
        {
            throw new StoreOpenException(
                $"The store in '{folder}' is open already, in this process or another: its lock '{FileName}' is taken. "
                + $"Close it there, or open another folder. ({e.Message})", e);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();
}
