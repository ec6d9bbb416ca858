namespace Faster.Persistence;

/// <summary>
/// Durability for each operation, over any region: a log stores its record, flushes it, and either fences at once or
/// takes a ticket and awaits it together with others.
/// </summary>
/// <remarks>
/// <para>Where a fence is cheap (emulated persistent memory) taking a ticket fences on the caller's thread, and the
/// ticket is durable at once; otherwise one thread syncs for all (<see cref="GroupSync"/>).</para>
/// <para>Invariants, besides those of <see cref="PersistentRegion"/> and <see cref="GroupSync"/>:</para>
/// <list type="bullet">
/// <item>A ticket covers every flush that returned before it was taken.</item>
/// <item>A failed fence fails all later fences and tickets.</item>
/// </list>
/// <para>Thread-safe, except for <see cref="Dispose"/>, which must be the last call; it ends the waits for tickets.
/// Paper 001 §2.3 and §6, which calls the region the persistent domain.</para>
/// </remarks>
internal sealed unsafe class PersistenceDomain : IDisposable
{
    private const long AlwaysDurable = 0;

    private readonly PersistentRegion _region;
    private readonly GroupSync? _group;

    /// <summary>Creates a domain.</summary>
    /// <param name="region">The bytes; the domain owns it.</param>
    public PersistenceDomain(PersistentRegion region)
    {
        _region = region;
        if (!region.FencesOnCaller) _group = new GroupSync(region.Name, region.Fence);
    }

    /// <summary>The file or device, for messages.</summary>
    public string Name => _region.Name;

    /// <summary>Why nothing becomes durable any more; null if all is well.</summary>
    public StorageException? Failure => _region.Failure ?? _group?.Failure;

    /// <summary>The first byte; see <see cref="PersistentRegion.Pointer"/>.</summary>
    public byte* Pointer => _region.Pointer;

    /// <summary>The size in bytes.</summary>
    public long Length => _region.Length;

    /// <summary>How many syncs for tickets there were, and how long they took together.</summary>
    public (long Count, TimeSpan Time) Syncs => _group is null ? default : (_group.DurableUpTo, _group.SyncTime);

    /// <inheritdoc cref="PersistentRegion.Add"/>
    public void Add(IFlushSource source) => _region.Add(source);

    /// <inheritdoc cref="PersistentRegion.Flush"/>
    public void Flush(long offset, long length) => _region.Flush(offset, length);

    /// <summary>Returns when all flushed ranges are durable. Blocks while the disk syncs.</summary>
    /// <inheritdoc cref="PersistentRegion.Fence"/>
    public void Fence() => _region.Fence();

    /// <summary>Takes a ticket for everything that was flushed before this call.</summary>
    /// <exception cref="StorageException">A fence has failed.</exception>
    /// <exception cref="ObjectDisposedException">The domain is disposed of.</exception>
    public long TakeTicket()
    {
        if (_group is not null) return _group.TakeTicket();
        _region.Fence();
        return AlwaysDurable;
    }

    /// <inheritdoc cref="GroupSync.IsDurable"/>
    public bool IsDurable(long ticket) => _group is null || _group.IsDurable(ticket);

    /// <inheritdoc cref="GroupSync.Wait"/>
    public void Wait(long ticket) => _group?.Wait(ticket);

    /// <inheritdoc cref="GroupSync.Notify"/>
    public void Notify(long ticket, IDurableWaiter waiter)
    {
        if (_group is not null) _group.Notify(ticket, waiter);
        else ThreadPool.UnsafeQueueUserWorkItem(static waiter => waiter.OnDurable(null), waiter, preferLocal: false);
    }

    /// <inheritdoc cref="GroupSync.WaitAsync"/>
    public ValueTask<long> SyncAsync(long ticket, CancellationToken ct = default) =>
        _group is null ? new ValueTask<long>(AlwaysDurable) : _group.WaitAsync(ticket, ct);

    /// <summary>Ends the waits for tickets, and releases the region.</summary>
    public void Dispose()
    {
        _group?.Dispose();
        _region.Dispose();
    }
}
