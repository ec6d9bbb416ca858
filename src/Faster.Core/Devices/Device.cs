namespace Faster.Devices;

/// <summary>
/// The storage under every log: a flat range of bytes that takes batches of requests and returns completions from a
/// queue that is polled or waited on. This fits a completion ring as well as blocking calls on worker threads.
/// </summary>
/// <remarks>
/// <para>Invariants of every device:</para>
/// <list type="bullet">
/// <item>Every submitted request is returned exactly once, completed or failed.</item>
/// <item>A failed request never makes Submit or Poll throw.</item>
/// <item>After a failed sync no sync succeeds.</item>
/// </list>
/// <para>Thread-safe: any thread may call any member at any time, except for <see cref="Dispose()"/>, which must be the
/// last call.</para>
/// </remarks>
public abstract class Device : IDisposable
{
    /// <summary>
    /// The maximum number of bytes of one request: 1 GiB. (Linux limits transfers to 0x7ffff000 bytes.)
    /// </summary>
    public const int MaxTransfer = 1 << 30;

    /// <summary>The unit of offsets, lengths and buffer alignment, in bytes: a power of two, 512 or more.</summary>
    public abstract int SectorSize { get; }

    /// <summary>A name for messages: a folder, «memory», …</summary>
    public abstract string Name { get; }

    /// <summary>The file, or other place, that holds a byte, and the offset in it; for messages.</summary>
    /// <param name="offset">The byte's offset on the device.</param>
    public virtual (string Place, long Offset) Locate(long offset) => (Name, offset);

    /// <summary>
    /// Submits requests; the device owns them until they are polled. Returns at once; may block only while the device's
    /// own queue is full.
    /// </summary>
    public abstract void Submit(ReadOnlySpan<IORequest> requests);

    /// <summary>Removes completed requests, whether successful or failed, without waiting.</summary>
    /// <returns>The number of requests; 0 when none is complete.</returns>
    public abstract int Poll(Span<IORequest> completed);

    /// <summary>
    /// Waits until <see cref="Poll"/> may find something, <see cref="Wake"/> is called, or the timeout ends.
    /// </summary>
    /// <returns>Whether there may be something to poll.</returns>
    public abstract bool Wait(TimeSpan timeout);

    /// <summary>Makes one current or future <see cref="Wait"/> return.</summary>
    public abstract void Wake();

    /// <summary>
    /// Makes everything written so far durable, including folder entries: fsync by our own call, its result checked.
    /// </summary>
    /// <exception cref="StorageException">
    /// The sync failed. It must not be retried: the kernel may have dropped the data.
    /// </exception>
    public abstract void Sync();

    /// <summary>Truncates the bytes below an offset; whole segments below it are deleted.</summary>
    /// <exception cref="StorageException">A file could not be deleted.</exception>
    public abstract void TruncateBelow(long offset);

    /// <summary>
    /// As <see cref="Poll"/>; a request's error is one that the store's users know, whatever the device says.
    /// </summary>
    internal int PollTyped(Span<IORequest> completed)
    {
        int count = Poll(completed);
        foreach (IORequest request in completed[..count])
            if (request.Error is { } error) request.Error = Typed(request, error);
        return count;
    }

    /// <summary>
    /// As <see cref="Submit"/>; what it throws in violation of its contract is an error that the store's users know.
    /// </summary>
    /// <exception cref="FasterException">The device has not taken the requests.</exception>
    internal void SubmitTyped(ReadOnlySpan<IORequest> requests)
    {
        try
        {
            Submit(requests);
        }
        catch (Exception e) when (e is not FasterException)
        {
            throw Typed(requests[0], e);
        }
    }

    /// <summary>As <see cref="Sync"/>; an error is one that the store's users know.</summary>
    /// <exception cref="StorageException">The sync failed.</exception>
    internal void SyncTyped()
    {
        try
        {
            Sync();
        }
        catch (Exception e) when (e is not FasterException)
        {
            throw DeviceErrors.SyncFailed(Name, e.Message, e);
        }
    }

    /// <summary>As <see cref="TruncateBelow"/>; an error is one that the store's users know.</summary>
    /// <exception cref="StorageException">The device can't truncate.</exception>
    internal void TruncateTyped(long offset)
    {
        try
        {
            TruncateBelow(offset);
        }
        catch (Exception e) when (e is not FasterException)
        {
            throw DeviceErrors.File($"Truncating '{Name}'", e);
        }
    }

    /// <summary>
    /// Carries out a request on the calling thread, which it blocks, apart from all queues: a single small transfer for
    /// which a hop to another thread takes longer than the disk.
    /// </summary>
    /// <returns>False: the device has only queues, and has not touched the request.</returns>
    internal virtual bool TryTransfer(IORequest request) => false;

    /// <summary>
    /// Opens a queue separate from <see cref="Submit"/> and <see cref="Poll"/>, for an owner that polls its own
    /// completions; must be closed by <see cref="CloseQueue"/> before the device.
    /// </summary>
    /// <returns>Null when the device has no separate queues, or no more of them.</returns>
    internal virtual IOQueue? TryOpenQueue() => null;

    /// <summary>
    /// Lets requests of this device go through the queue of another one, whose owner then polls them with its own.
    /// </summary>
    /// <param name="queue">A queue that another device has opened, and closes.</param>
    /// <returns>A queue that the caller must not close; null if this device can't share one.</returns>
    internal virtual IOQueue? TryJoinQueue(IOQueue queue) => null;

    /// <summary>Closes a queue of <see cref="TryOpenQueue"/> after its requests have completed.</summary>
    internal virtual void CloseQueue(IOQueue queue) => queue.Dispose();

    /// <summary>Closes the device. Requests in flight are completed or failed first.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Releases the device's resources.</summary>
    protected abstract void Dispose(bool disposing);

    private FasterException Typed(IORequest request, Exception error)
    {
        if (error is FasterException typed) return typed;
        (string place, long offset) = Locate(request.Offset);
        return DeviceErrors.Transfer(request, place, offset, error);
    }
}
