using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log.InMemory;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Log;

/// <summary>
/// A log over a circular buffer of page frames and a device (paper 000 §5): tail allocation, page turns, and the
/// markers that take a page from mutable through read-only and flushed to evicted.
/// </summary>
/// <remarks>
/// <para>The life of a page: <em>opened</em> by the turn of the tail; <em>read-only</em> when the read-only marker
/// passes it; <em>safe</em> once the epoch guarantees that every session has seen the marker, and then flushed;
/// <em>evicted</em> when the head passes it, never before it is flushed; <em>closed</em> once the epoch guarantees that
/// every session has seen the head: its frame is zero again and may be opened for a later page. A page may become
/// read-only and be flushed in parts, each ending on a sector boundary to which the tail is padded: a flushed part is
/// never written again.</para>
/// <para>Invariants, besides those of <see cref="RegionMarkers"/> and <see cref="PageFrames"/>:</para>
/// <list type="bullet">
/// <item>No marker falls. The thread that raises one bumps the epoch with its consequence.</item>
/// <item>Head ≤ FlushedUntil, except that an empty log's head is the first address; FlushedUntil ≤ SafeImmutable ≤
/// Tail.</item>
/// <item>Nothing below SafeImmutable changes: every session has seen that it is immutable.</item>
/// <item>A record lies in one page, at a multiple of 8, and its space is zero when it is allocated.</item>
/// </list>
/// <para>Thread-safe, latch-free. The flushed part is one address, raised in order by the sink; §5.2 has a status for
/// each page instead. No thread waits inside an epoch: <see cref="TryAllocate"/> returns false.</para>
/// <para>The buffer is a power of two of frames in address space, of which only a window of resident pages costs
/// memory: an address becomes a pointer by one AND and one ADD, and the window can shrink while the index grows.</para>
/// </remarks>
internal abstract unsafe class PagedLog : RecordAllocator
{
    /// <summary>The address of the first record; 0 is no address.</summary>
    public const long FirstAddress = 64;

    /// <summary>The minimum number of resident pages of a working log.</summary>
    public const int MinPages = 4;

    private readonly EpochTable _epochs;
    private readonly IPageSink _sink;
    private readonly PageFrames _frames;
    private readonly double _mutableFraction;
    private readonly HashSeed _seed;
    private LogTail _tail;
    private long _immutable;                  // the read-only marker, whether or not records are updated in place
    private long _safeImmutable;
    private long _flushedUntil;
    private int _residentPages;

    /// <summary>Creates an empty log.</summary>
    protected PagedLog(EpochTable epochs, IPageSink sink, LogShape shape)
    {
        (_epochs, _sink, _seed) = (epochs, sink, shape.Seed);
        Layout = new RecordLayout(shape.Schema);
        (PageBits, _mutableFraction, _residentPages) = (shape.PageBits, shape.MutableFraction, shape.ResidentPages);
        _frames = new PageFrames(shape.ResidentPages, PageBits);
        _tail = new LogTail(PageBits, FirstAddress);
        Markers.Base = _frames.Pointer;
        Markers.Mask = _frames.Bytes - 1;
        Markers.Begin = Markers.Head = FirstAddress;
        _immutable = _safeImmutable = FirstAddress;
    }

    /// <summary>The base-2 logarithm of the page size.</summary>
    public int PageBits { get; }

    /// <summary>The page size in bytes.</summary>
    public long PageSize => 1L << PageBits;

    /// <inheritdoc/>
    public override long TailAddress => _tail.Address;

    /// <summary>The start of an address's page: for the first page, the first record's address.</summary>
    public long PageStartOf(long address) => Math.Max(address >> PageBits << PageBits, FirstAddress);

    /// <summary>The start of a walk that meets the record at, or around, an address.</summary>
    public RecordBoundary WalkStartOf(long address) => RecordBoundary.PageStart(address, PageBits);

    /// <summary>The end of an address's page: the first address of the next page.</summary>
    public long PageEndOf(long address) => ((address >> PageBits) + 1) << PageBits;

    /// <summary>Everything below is on the device.</summary>
    public long FlushedUntilAddress => Volatile.Read(ref _flushedUntil);

    /// <summary>Everything below is immutable, and every session has seen that.</summary>
    public long SafeImmutableAddress => Volatile.Read(ref _safeImmutable);

    /// <summary>
    /// Wakes threads and operations that wait for a free frame or for other progress of the log: signaled whenever a
    /// frame has been closed, more of the log has become safe or flushed, and when a flush has failed.
    /// </summary>
    public WaitGate Gate { get; } = new();

    /// <summary>Delays allocations; null when nothing does.</summary>
    public TailThrottle? Throttle { get; set; }

    /// <summary>Called inside an epoch with each address below which nothing changes any more.</summary>
    public Action<long>? BecameSafe { get; set; }

    /// <summary>Addresses that are read outside every epoch: their space is not released.</summary>
    public LogPins Pins { get; } = new();

    /// <summary>The large values that are being written.</summary>
    public FragmentWrites Writes { get; } = new();

    /// <summary>The number of free bytes in the tail's page.</summary>
    public long SpaceInPage => PageSize - (TailAddress & (PageSize - 1));

    /// <inheritdoc/>
    public override long BytesInMemory => TailAddress - Math.Max(HeadAddress, _frames.ClosedUntil);

    /// <inheritdoc/>
    public override int LargestRecord => (int)PageSize - (int)FirstAddress;

    /// <inheritdoc/>
    public override RecordLayout Layout { get; }

    /// <inheritdoc/>
    public override bool Splices => false;

    /// <inheritdoc/>
    public override bool IsWithinMemory => OpenPages <= Volatile.Read(ref _residentPages);

    /// <inheritdoc/>
    public override bool FillsMemory => OpenPages + 1 >= Volatile.Read(ref _residentPages); // one is kept free

    /// <summary>The maximum number of pages in memory.</summary>
    public int ResidentPages => Volatile.Read(ref _residentPages);

    /// <summary>The number of resident pages that are updated in place; at least two remain read-only.</summary>
    private int MutablePages => Math.Clamp((int)(ResidentPages * _mutableFraction), 1, ResidentPages - 2);

    /// <inheritdoc/>
    public sealed override bool TryAllocate(FreeLists? lists, int size, out long address)
    {
        if (size > LargestRecord) throw TooLarge(size, LargestRecord);
        if (IsHeldBack)
        {
            address = 0;
            return false;
        }

        while (!_tail.TryTake(size, out address, out long page))
        {
            if (!TryOpen(page + 1)) return false;
        }

        Invariant.DebugCheck(
            size > 0 && (size & 7) == 0 && (address & 7) == 0 && address >= FirstAddress
                && address >> PageBits == (address + size - 1) >> PageBits && IsZero(address, size),
            $"{size} bytes at {address} are zero and lie in one page of {PageSize}");
        return true;
    }

    /// <inheritdoc/>
    public sealed override void Free(FreeLists? lists, long address, int size, bool everLinked)
    {
        // The log's space is not reused; the header marks the record as belonging to no key.
        byte* record = Pointer(address);
        RecordHeader.Write(record, RecordHeader.Invalidated(RecordHeader.Read(record)));
    }

    /// <inheritdoc/>
    public sealed override void WaitForSpace()
    {
        _sink.ThrowIfFailedAgain();
        _epochs.Drain();
        Maintain(_tail.Page);
        if (Probe.On && Probe.Wait(null)) return;
        Gate.Wait(() => CanOpen(_tail.Page + 1) || _sink.HasFailed, TimeSpan.FromMilliseconds(50));
    }

    /// <summary>Calls back when an allocation may succeed or the log can't be written.</summary>
    public void Park(Action resume)
    {
        Maintain(_tail.Page);
        Gate.Park(() => CanOpen(_tail.Page + 1) || _sink.HasFailed, resume);
    }

    /// <inheritdoc/>
    public sealed override void SetMemory(long bytes)
    {
        long pages = Math.Clamp(bytes >> PageBits, MinPages, _frames.Count);
        Volatile.Write(ref _residentPages, (int)pages);
        Maintain(_tail.Page);
        Gate.Signal(); // a wider window may have space at once, without an eviction
    }

    /// <summary>Moves the tail to a sector boundary, where a commit may end.</summary>
    /// <returns>The boundary: every record ends at or below it or begins at or above it.</returns>
    public long PadTail() => _tail.Pad(new BlockGeometry(PageBits), _sink.SectorSize);

    /// <summary>
    /// Pads the tail and shifts the read-only marker to it, for scans and fold-over commits. The log is then flushed.
    /// </summary>
    /// <param name="wakes">Whether the sink is woken to flush it; else the caller flushes, or wakes the sink.</param>
    /// <returns>
    /// The address below which records become immutable, on a sector boundary: wait for
    /// <see cref="SafeImmutableAddress"/>, or for <see cref="FlushedUntilAddress"/>.
    /// </returns>
    public long ShiftReadOnlyToTail(bool wakes = true)
    {
        long tail = PadTail();
        Invariant.Check(tail <= TailAddress, $"the padded tail is not above the tail: {tail}, {TailAddress}");
        Move(readOnly: tail, head: 0, wakes);
        return tail;
    }

    /// <summary>Makes everything below a page's start read-only; the start is at or below the tail.</summary>
    public void ShiftReadOnly(long pageStart)
    {
        Invariant.Check(pageStart <= TailAddress, $"ReadOnly ≤ Tail: {pageStart}, {TailAddress}");
        Move(readOnly: pageStart, head: 0);
    }

    /// <summary>Evicts the pages below a page's start, which is at or below the flushed address.</summary>
    public void Evict(long pageStart) => Move(readOnly: 0, head: pageStart);

    /// <summary>Truncates the log below an address: chains end above it. Idempotent.</summary>
    /// <param name="address">
    /// At or below the safe immutable address and, where there are operations, at or below the head: pages are evicted
    /// before they are truncated.
    /// </param>
    /// <returns>False when the log has already been truncated there.</returns>
    public bool RaiseBegin(long address)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(address, SafeImmutableAddress);
        return TryRaise(ref Markers.Begin, address, out _);
    }

    /// <summary>Pins the log from an address on.</summary>
    /// <returns>Null: the address has been truncated.</returns>
    public LogPins.Pin? TryPin(long address)
    {
        LogPins.Pin pin = Pins.Take(address);
        Probe.Point(ProbePoint.RegionMarker);
        if (address >= BeginAddress || (Probe.On && Probe.Has(SeededBug.PinWithoutLook))) return pin;
        pin.Dispose();
        return null;
    }

    /// <summary>Reports that the device has everything below an address; the head may follow by whole pages.</summary>
    public void OnFlushed(long until)
    {
        Invariant.Check(
            until <= SafeImmutableAddress, $"FlushedUntil ≤ SafeImmutable: {until}, {SafeImmutableAddress}");
        if (TryRaise(ref _flushedUntil, until, out _)) Maintain(_tail.Page);
        Gate.Signal(); // also wakes threads that wait for the outcome of a retry
    }

    /// <summary>
    /// Puts an empty log where a commit ended: everything below <paramref name="tail"/> is immutable and safe. The
    /// frames from <paramref name="head"/> on are open and zero, and are loaded through
    /// <see cref="RecordAllocator.Pointer"/>. Before anything else runs.
    /// </summary>
    /// <param name="begin">The lowest valid address.</param>
    /// <param name="flushedUntil">
    /// The device has the log below this address; the sink writes it again from here on.
    /// </param>
    /// <param name="tail">Where the next record goes: on a sector boundary, or the first address.</param>
    /// <param name="head">
    /// The lowest address in memory: a page's start or the first address, at or below <paramref name="flushedUntil"/>.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The pages from head to tail exceed the window.</exception>
    public void Restore(long begin, long flushedUntil, long tail, long head)
    {
        long headPage = head >> PageBits, pages = (tail >> PageBits) + 1 - headPage;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(pages, ResidentPages, nameof(head));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(headPage << PageBits, flushedUntil, nameof(head));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(flushedUntil, tail);
        Invariant.Check(
            begin >= FirstAddress && begin <= head && PageStartOf(head) == head,
            $"Begin ≤ Head, at a page's start: {begin}, {head} in pages of {PageSize}");
        Markers.Begin = begin;
        Markers.Head = head;
        _tail = new LogTail(PageBits, tail);
        _flushedUntil = flushedUntil > FirstAddress ? flushedUntil : 0; // blocks are written whole, the first one too
        _immutable = _safeImmutable = tail;
        PublishReadOnly(tail);
        PublishSafeReadOnly(tail);
        _frames.Restore(headPage);
    }

    /// <inheritdoc/>
    public override void Populate(long bytes) =>
        _frames.Populate(HeadAddress >> PageBits, Math.Min(bytes >> PageBits, ResidentPages));

    /// <summary>The markers in pages, for messages about a log that makes no progress.</summary>
    public override string ToString() =>
        $"tail in page {_tail.Page}, read-only to {(double)Volatile.Read(ref _immutable) / PageSize:0.##}, safe to "
        + $"{(double)SafeImmutableAddress / PageSize:0.##}, flushed to {(double)FlushedUntilAddress / PageSize:0.##}, "
        + $"head at {HeadAddress >> PageBits}, closed to {_frames.ClosedUntil >> PageBits}, "
        + $"{ResidentPages} pages of {new ByteSize(PageSize)} in memory";

    /// <inheritdoc/>
    public sealed override void Split(long head, in SplitRule rule, out long left, out long right) =>
        LogChains.Split(this, _seed, head, rule, out left, out right);

    /// <inheritdoc/>
    public sealed override bool TryJoin(
        long left, long right, ulong hash, long largerBucketCount, out long head) =>
        LogChains.TryJoin(this, left, right, hash, largerBucketCount, out head);

    /// <inheritdoc/>
    public sealed override void Dispose() => _frames.Dispose();

    /// <summary>Publishes that records below an address are copied rather than updated in place.</summary>
    protected abstract void PublishReadOnly(long address);

    /// <summary>Publishes that no session updates records below an address in place any more.</summary>
    protected abstract void PublishSafeReadOnly(long address);

    /// <summary>Raises a marker.</summary>
    /// <returns>False when it is already there or above; else its value was <paramref name="old"/>.</returns>
    internal static bool TryRaise(ref long marker, long address, out long old)
    {
        for (;;)
        {
            Probe.Point(ProbePoint.RegionMarker);
            old = Volatile.Read(ref marker);
            if (old >= address) return false;
            if (Interlocked.CompareExchange(ref marker, address, old) == old) return true;
        }
    }

    private long OpenPages => _tail.Page + 1 - (_frames.ClosedUntil >> PageBits);

    private bool IsHeldBack => Throttle is { } throttle && throttle.HoldsBack(_tail.Page);

    private bool CanOpen(long page) =>
        _frames.MayOpen(page) && page + 1 - (_frames.ClosedUntil >> PageBits) <= ResidentPages && !IsHeldBack;

    private bool TryOpen(long page)
    {
        if (page >= Math.Min(LogTail.PageLimit, 1L << (RecordHeader.AddressBits - PageBits)))
        {
            throw new LimitExceededException(
                $"The log has used up its address space of {new ByteSize(page << PageBits)}. Copy the store into a "
                    + $"new one.");
        }

        if (!(Probe.On && Probe.Has(SeededBug.TurnIgnoresClosed)) && !CanOpen(page))
        {
            Maintain(page - 1);
            if (!CanOpen(page)) return false;
        }

        if (_tail.TryTurn(page - 1)) Maintain(page);
        return true;
    }

    /// <summary>Moves the markers to match the tail's page. Idempotent; any thread may call it at any time.</summary>
    private void Maintain(long tailPage) => Move(
        readOnly: (tailPage + 1 - MutablePages) << PageBits,
        head: Math.Min(tailPage + 2 - ResidentPages, FlushedUntilAddress >> PageBits) << PageBits);

    // One bump for both markers, because a turn of the page moves both. A marker that is already there stays.
    private void Move(long readOnly, long head, bool wakes = true)
    {
        bool movesReadOnly = TryRaise(ref _immutable, readOnly, out _);
        if (movesReadOnly) PublishReadOnly(readOnly);
        long flushed = Math.Max(FlushedUntilAddress, FirstAddress);
        Invariant.Check(head <= flushed, $"Head ≤ FlushedUntil: {head}, {flushed}");
        bool movesHead = TryRaise(ref Markers.Head, head, out _);
        if (movesHead && Probe.On && Probe.Has(SeededBug.EvictWithoutEpoch)) OnHeadSafe(head);
        if (movesReadOnly && Probe.On && Probe.Has(SeededBug.SafeReadOnlyWithoutEpoch)) OnReadOnlySafe(readOnly);
        if (movesReadOnly || movesHead) WhenSafe(movesReadOnly ? readOnly : 0, movesHead ? head : 0, wakes);
    }

    // Apart from Move, which would otherwise allocate the closure at every call; most of them move nothing.
    private void WhenSafe(long readOnly, long head, bool wakes) => _epochs.Bump(() =>
    {
        if (head != 0) OnHeadSafe(head);
        if (readOnly != 0) OnReadOnlySafe(readOnly, wakes);
    });

    private void OnReadOnlySafe(long address, bool wakes = true)
    {
        if (!TryRaise(ref _safeImmutable, address, out _)) return;
        PublishSafeReadOnly(address);
        if (wakes) _sink.Wake();
        Gate.Signal();
        BecameSafe?.Invoke(address); // last: it may throw, and nothing else wakes those who flush or wait for it
    }

    private void OnHeadSafe(long address)
    {
        if (_frames.TryClose(address)) Gate.Signal();
    }

    private bool IsZero(long address, int size) =>
        !new ReadOnlySpan<byte>(Pointer(address), size).ContainsAnyExcept((byte)0);
}
