namespace Faster.Log;

/// <summary>
/// Writes a log to its device, from the flushed address up to <see cref="PagedLog.SafeImmutableAddress"/>.
/// </summary>
/// <remarks>
/// <para>Invariants of every sink:</para>
/// <list type="bullet">
/// <item>It writes only what is immutable, in address order, and no block twice.</item>
/// <item>It calls <see cref="PagedLog.OnFlushed"/> only when the device has everything below an address.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal interface IPageSink
{
    /// <summary>
    /// The device's unit of transfers in bytes: the read-only part of a page ends on a boundary of it.
    /// </summary>
    int SectorSize { get; }

    /// <summary>Whether writes have failed and wait for a retry.</summary>
    bool HasFailed { get; }

    /// <summary>Signals that more of the log may be written. Returns at once.</summary>
    void Wake();

    /// <summary>Retries failed writes, and throws when they fail again.</summary>
    /// <exception cref="StorageException">The device refuses the log's pages.</exception>
    void ThrowIfFailedAgain();
}
