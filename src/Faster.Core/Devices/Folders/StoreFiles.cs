namespace Faster.Devices.Folders;

/// <summary>
/// A store's folder: its logs as devices, and its other files, with explicit durability. After a crash only synced
/// bytes of a file are certain to be there, and only names that were synced are certain to exist.
/// </summary>
/// <remarks>
/// <para>Invariants of every folder:</para>
/// <list type="bullet">
/// <item>A rename is atomic: after a crash either file has the name, whole.</item>
/// <item>Names that were synced exist after a crash; others may.</item>
/// <item>Every failure is a <see cref="FasterException"/> that names the file; a missing file is a
/// <see cref="DamagedDataException"/>.</item>
/// </list>
/// <para>The only way in which checkpoints access storage, so that a test can replace the disk and lose what a power
/// cut may lose. Thread-safe, except for two concurrent calls with the same name.</para>
/// </remarks>
internal abstract class StoreFiles : IDisposable
{
    /// <summary>The location of the files, for messages.</summary>
    public abstract string Name { get; }

    /// <summary>The names of all files, including the log's, in no particular order.</summary>
    public abstract IReadOnlyList<string> List();

    /// <summary>Creates a file, or empties it, for writing.</summary>
    public abstract StoreFile Create(string name);

    /// <summary>Opens an existing file.</summary>
    public abstract StoreFile Open(string name);

    /// <summary>Renames a file; a file of the new name is replaced atomically.</summary>
    public abstract void Rename(string from, string to);

    /// <summary>Deletes a file, if it exists.</summary>
    public abstract void Delete(string name);

    /// <summary>Makes all file creations, renames and deletions so far durable.</summary>
    /// <exception cref="StorageException">The sync failed; it must not be retried.</exception>
    public abstract void SyncNames();

    /// <summary>Opens a log. The caller disposes of it.</summary>
    /// <param name="name">What the names of its files begin with, before a point and a number.</param>
    /// <param name="segmentBytes">The size in bytes of one of its files.</param>
    /// <param name="unbuffered">Whether to bypass the system's cache where that is possible.</param>
    public abstract Device OpenLog(string name, long segmentBytes, bool unbuffered);

    /// <summary>Throws if the folder is not this holder's any more: it was replaced, or its lock was.</summary>
    /// <exception cref="StorageException">The folder is lost.</exception>
    public virtual void ThrowIfLost() { }

    /// <summary>Releases the folder.</summary>
    public abstract void Dispose();
}
