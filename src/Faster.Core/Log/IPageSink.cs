namespace Faster.Log;

/// <summary>Where a log's pages go when they have become immutable.</summary>
/// <remarks>
/// Thread-safe. Calls <see cref="PagedLog{TProbe}.OnFlushed"/> once for each page that is on the device.
/// </remarks>
internal interface IPageSink
{
    /// <summary>Whether writes have failed and wait to be tried again.</summary>
    bool HasFailed { get; }

    /// <summary>Takes a page to be written. Returns at once.</summary>
    void Flush(long page);

    /// <summary>Tries failed writes again, and throws when they have failed again.</summary>
    /// <exception cref="StorageException">The device refuses the log's pages.</exception>
    void ThrowIfFailedAgain();
}
