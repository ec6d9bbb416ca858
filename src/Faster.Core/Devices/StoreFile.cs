namespace Faster.Devices;

/// <summary>One file of <see cref="StoreFiles"/>: transfers that are whole or fail, at any offset and length.</summary>
/// <remarks>Any thread may read, any thread may write other bytes, at the same time; the calls block.</remarks>
internal abstract unsafe class StoreFile : IDisposable
{
    /// <summary>The file's path, for messages.</summary>
    public abstract string Path { get; }

    /// <summary>The bytes of the file.</summary>
    public abstract long Length { get; }

    /// <summary>Reads all of the bytes asked for.</summary>
    /// <exception cref="DamagedDataException">The file ends before.</exception>
    /// <exception cref="StorageException">The read failed.</exception>
    public abstract void Read(byte* buffer, int length, long offset);

    /// <summary>Writes all of the bytes.</summary>
    /// <exception cref="StorageException">The write failed; <see cref="StorageException.MayRetry"/> is set.</exception>
    public abstract void Write(byte* buffer, int length, long offset);

    /// <summary>Makes what was written durable, not the file's name.</summary>
    /// <exception cref="StorageException">The sync failed; it must not be retried.</exception>
    public abstract void Sync();

    /// <summary>Closes the file.</summary>
    public abstract void Dispose();
}
