namespace Faster.Devices;

/// <summary>
/// The seam under every log: a flat space of bytes that takes batches of requests and gives back completions from a
/// queue that is polled or waited on, so that a completion ring fits it as well as blocking calls on worker threads.
/// </summary>
/// <remarks>
/// Thread-safe: any thread may call any member at any time, but for <see cref="Dispose()"/>, which must be the last
/// call. Every submitted request comes back exactly once, done or failed; a failed request never throws out of Submit
/// or Poll.
/// </remarks>
public abstract class Device : IDisposable
{
    /// <summary>The most bytes of one request: 1 GiB. (Linux cuts transfers at 0x7ffff000 bytes.)</summary>
    public const int MaxTransfer = 1 << 30;

    /// <summary>The unit of offsets, lengths and buffer alignment, in bytes: a power of two, 512 or more.</summary>
    public abstract int SectorSize { get; }

    /// <summary>What the device is, for messages: a folder, «memory», …</summary>
    public abstract string Name { get; }

    /// <summary>The file, or other place, that holds a byte, and where in it: for messages.</summary>
    /// <param name="offset">The byte's offset on the device.</param>
    public virtual (string Place, long Offset) Locate(long offset) => (Name, offset);

    /// <summary>
    /// Lends requests to the device. Returns at once; may block only while the device's own queue is full.
    /// </summary>
    public abstract void Submit(ReadOnlySpan<IoRequest> requests);

    /// <summary>Takes completed requests, done or failed, without waiting.</summary>
    /// <returns>How many were taken; 0 when none is complete.</returns>
    public abstract int Poll(Span<IoRequest> completed);

    /// <summary>
    /// Waits until <see cref="Poll"/> may find something, <see cref="Wake"/> is called, or the time is over.
    /// </summary>
    /// <returns>Whether there may be something to poll.</returns>
    public abstract bool Wait(TimeSpan timeout);

    /// <summary>Makes one current or future <see cref="Wait"/> return.</summary>
    public abstract void Wake();

    /// <summary>
    /// Makes everything written so far durable, folder entries included: fsync by our own call, its result checked.
    /// </summary>
    /// <exception cref="StorageException">
    /// The sync failed. It must not be retried: the kernel may have dropped the data.
    /// </exception>
    public abstract void Sync();

    /// <summary>Gives up the bytes below an offset; whole segments below it are deleted.</summary>
    /// <exception cref="StorageException">A file could not be deleted.</exception>
    public abstract void TruncateBelow(long offset);

    /// <summary>
    /// Opens a row of requests apart from <see cref="Submit"/> and <see cref="Poll"/>, for somebody who takes his own
    /// completions; close it by <see cref="CloseQueue"/> before the device.
    /// </summary>
    /// <returns>Null where the device has only the one, or no more.</returns>
    internal virtual IoQueue? TryOpenQueue() => null;

    /// <summary>Closes what <see cref="TryOpenQueue"/> has opened, when what is inside has come back.</summary>
    internal virtual void CloseQueue(IoQueue queue) => queue.Dispose();

    /// <summary>Closes the device. Requests still inside are completed or failed first.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Releases what the device holds.</summary>
    protected abstract void Dispose(bool disposing);
}
