namespace Faster.Devices;

/// <summary>
/// A store's folder: its log as a device, and its other files, with durability made explicit. After a crash a file
/// holds for certain only what was synced, and a name exists for certain only if the names were synced.
/// </summary>
/// <remarks>
/// The one way in which checkpoints touch storage, so that a test can stand in for the disk and lose what a power cut
/// may lose. Every failure is a <see cref="FasterException"/> that names the file; an absent file is a
/// <see cref="DamagedDataException"/>. Thread-safe, but for two calls on one name at once.
/// </remarks>
internal abstract class StoreFiles : IDisposable
{
    /// <summary>Where the files lie, for messages.</summary>
    public abstract string Name { get; }

    /// <summary>The names of all files, those of the log included, in no order.</summary>
    public abstract IReadOnlyList<string> List();

    /// <summary>Makes a file, or empties it, for writing.</summary>
    public abstract StoreFile Create(string name);

    /// <summary>Opens a file that exists for reading.</summary>
    public abstract StoreFile Open(string name);

    /// <summary>Gives a file another name; a file of that name is replaced in one step.</summary>
    public abstract void Rename(string from, string to);

    /// <summary>Deletes a file, if it exists.</summary>
    public abstract void Delete(string name);

    /// <summary>Makes all creations, renamings and deletions so far durable.</summary>
    /// <exception cref="StorageException">The sync failed; it must not be retried.</exception>
    public abstract void SyncNames();

    /// <summary>Opens the log. The caller disposes of it.</summary>
    /// <param name="segmentBytes">The size of one of its files.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    public abstract Device OpenLog(long segmentBytes, bool unbuffered);

    /// <summary>Lets go of the folder.</summary>
    public abstract void Dispose();
}
