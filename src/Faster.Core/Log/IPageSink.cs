namespace Faster.Log;

/// <summary>
/// What writes a log to its device: from where it stands up to <see cref="PagedLog{TProbe}.SafeFrozenAddress"/>.
/// </summary>
/// <remarks>
/// Thread-safe. Calls <see cref="PagedLog{TProbe}.OnFlushed"/> when the device has everything below an address.
/// </remarks>
internal interface IPageSink
{
    /// <summary>
    /// The device's unit of transfers in bytes: what is frozen within a page ends on a boundary of it.
    /// </summary>
    int SectorSize { get; }

    /// <summary>Whether writes have failed and wait to be tried again.</summary>
    bool HasFailed { get; }

    /// <summary>More of the log may be written. Returns at once.</summary>
    void Wake();

    /// <summary>Tries failed writes again, and throws when they have failed again.</summary>
    /// <exception cref="StorageException">The device refuses the log's pages.</exception>
    void ThrowIfFailedAgain();
}
