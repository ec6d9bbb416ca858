namespace Faster.Devices.Folders;

/// <summary>One file of <see cref="StoreFiles"/>: transfers are complete or fail, at any offset and length.</summary>
/// <remarks>
/// <para>Invariants of every file:</para>
/// <list type="bullet">
/// <item>A transfer that returns has transferred all of its bytes.</item>
/// <item>What was written before a sync that succeeds is durable; after a failed sync no sync succeeds.</item>
/// </list>
/// <para>Thread-safe: threads may read and write concurrently if their writes do not overlap other transfers. The calls
/// block.</para>
/// </remarks>
internal abstract unsafe class StoreFile : IDisposable
{
    /// <summary>The file's path, for messages.</summary>
    public abstract string Path { get; }

    /// <summary>The length of the file in bytes.</summary>
    public abstract long Length { get; }

    /// <summary>Reads all requested bytes.</summary>
    /// <exception cref="DamagedDataException">The file ends before the last requested byte.</exception>
    /// <exception cref="StorageException">The read failed.</exception>
    public abstract void Read(byte* buffer, int length, long offset);

    /// <summary>Writes all bytes.</summary>
    /// <exception cref="StorageException">The write failed; <see cref="StorageException.MayRetry"/> is set.</exception>
    public abstract void Write(byte* buffer, int length, long offset);

    /// <summary>Makes the written bytes durable, but not the file's name.</summary>
    /// <exception cref="StorageException">The sync failed; it must not be retried.</exception>
    public abstract void Sync();

    /// <summary>Closes the file.</summary>
    public abstract void Dispose();
}
