using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// A log over a circular buffer of page frames and a device (paper 000 §5): tail allocation, page turns, and the
/// markers that carry a page from mutable over read-only and flushed to evicted.
/// </summary>
/// <remarks>
/// The life of a page: <em>opened</em> by the turn of the tail; <em>frozen</em> when the read-only marker passes it;
/// <em>safe</em> once the epoch says that everybody has seen the marker, and flushed then; <em>evicted</em> when the
/// head passes it, which is never before it is flushed; <em>closed</em> once the epoch says that everybody has seen
/// the head: its frame is zero again and may be opened for a later page. A page may be frozen and flushed in parts,
/// each ending on a boundary of the device's sectors, to which the tail is padded for it: what has been flushed is
/// never written again.
/// <para>Thread-safe, latch-free. Every marker only grows, by compare-and-swap; whoever raises one runs or bumps the
/// epoch with what follows from it, so each page is closed exactly once. What is flushed is one address, raised in
/// order by the sink, where §5.2 has a status for each page. The closed-status array holds page numbers rather than
/// flags: a status set late for an earlier page can't be taken for a later one's. Nobody waits inside an epoch:
/// <see cref="TryAllocate"/> returns false.</para>
/// <para>The buffer is a power of two of frames in address space, of which only a window of resident pages costs
/// memory: an address becomes a pointer by one AND and one ADD, and the window can shrink while the index grows.</para>
/// </remarks>
internal abstract unsafe class PagedLog<TProbe> : RecordAllocator<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>The address of the first record: 0 is no address.</summary>
    public const long FirstAddress = 64;

    /// <summary>The least number of resident pages that a log can work with.</summary>
    public const int LeastPages = 4;

    private readonly EpochTable<TProbe> _epochs;
    private readonly IPageSink _sink;
    private readonly NativeBlock _frames;
    private readonly long[] _closedStatus; // the page that each frame may be opened for next
    private readonly long _frameCount;
    private readonly double _mutableFraction;
    private readonly HashSeed _seed;
    private LogTail<TProbe> _tail;
    private long _frozen;                  // the read-only marker, whether or not records are updated in place
    private long _safeFrozen;
    private long _flushedUntil;
    private long _closeClaim;              // how far frames have been claimed for closing
    private long _closedUntil;
    private int _residentPages;

    /// <summary>Makes an empty log.</summary>
    protected PagedLog(EpochTable<TProbe> epochs, IPageSink sink, LogShape shape)
    {
        _epochs = epochs;
        _sink = sink;
        Layout = new RecordLayout(shape.Schema);
        _seed = shape.Seed;
        PageBits = shape.PageBits;
        _mutableFraction = shape.MutableFraction;
        _residentPages = shape.ResidentPages;
        _frameCount = (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)shape.ResidentPages);
        _frames = new NativeBlock(_frameCount << PageBits, hugePages: PageSize >= NativeBlock.HugePage);
        _closedStatus = new long[_frameCount];
        for (int i = 0; i < _frameCount; i++) _closedStatus[i] = i;
        _tail = new LogTail<TProbe>(PageBits, FirstAddress);
        Markers.Base = _frames.Pointer;
        Markers.Mask = (_frameCount << PageBits) - 1;
        Markers.Begin = Markers.Head = FirstAddress;
        _frozen = _safeFrozen = FirstAddress;
    }

    /// <summary>The logarithm of the page size.</summary>
    public int PageBits { get; }

    /// <summary>The page size in bytes.</summary>
    public long PageSize => 1L << PageBits;

    /// <inheritdoc/>
    public override long TailAddress => _tail.Address;

    /// <summary>Where an address's page begins: the first page with the first record.</summary>
    public long PageStartOf(long address) => Math.Max(address >> PageBits << PageBits, FirstAddress);

    /// <summary>Where a walk may begin that is to meet the record at an address, or around it.</summary>
    public RecordBoundary WalkStartOf(long address) => RecordBoundary.PageStart(address, PageBits);

    /// <summary>Where an address's page ends: the first address of the next.</summary>
    public long PageEndOf(long address) => ((address >> PageBits) + 1) << PageBits;

    /// <summary>Everything below is on the device.</summary>
    public long FlushedUntilAddress => Volatile.Read(ref _flushedUntil);

    /// <summary>Everything below is frozen and seen so by everybody.</summary>
    public long SafeFrozenAddress => Volatile.Read(ref _safeFrozen);

    /// <summary>
    /// Where those wait who found no free frame, and others whom the log's progress concerns: opened whenever a frame
    /// has been closed, more of the log has become safe or been flushed, and when a flush has failed.
    /// </summary>
    public WaitGate Gate { get; } = new();

    /// <summary>Holds those back who take room; null when nothing does.</summary>
    public TailThrottle? Throttle { get; set; }

    /// <summary>Told of each address below which nothing will change any more, within an epoch.</summary>
    public Action<long>? BecameSafe { get; set; }

    /// <summary>What is read outside every epoch: who truncates waits for it.</summary>
    public LogPins Pins { get; } = new();

    /// <summary>The values in chunks that are being written.</summary>
    public ChunkWrites Writes { get; } = new();

    /// <summary>How many bytes of the tail's page are free.</summary>
    public long RoomInPage => PageSize - (TailAddress & (PageSize - 1));

    /// <inheritdoc/>
    public override long BytesInMemory => TailAddress - Math.Max(HeadAddress, Volatile.Read(ref _closedUntil));

    /// <inheritdoc/>
    public override int LargestRecord => (int)PageSize - (int)FirstAddress;

    /// <inheritdoc/>
    public override RecordLayout Layout { get; }

    /// <inheritdoc/>
    public override bool Splices => false;

    /// <inheritdoc/>
    public override bool IsWithinMemory =>
        _tail.Page + 1 - (Volatile.Read(ref _closedUntil) >> PageBits) <= Volatile.Read(ref _residentPages);

    /// <summary>How many pages may be in memory.</summary>
    public int ResidentPages => Volatile.Read(ref _residentPages);

    /// <summary>
    /// How many of the resident pages are updated in place; two are left for the read-only region at least.
    /// </summary>
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

        return true;
    }

    /// <inheritdoc/>
    public sealed override void Free(FreeLists? lists, long address, int size, bool everLinked)
    {
        // The log's room is not used again; the record says by its header that it is nobody's.
        byte* record = Pointer(address);
        RecordHeader.Write(record, RecordHeader.Invalidated(RecordHeader.Read(record)));
    }

    /// <inheritdoc/>
    public sealed override void WaitForRoom()
    {
        _sink.ThrowIfFailedAgain();
        _epochs.Drain();
        Maintain(_tail.Page);
        if (TProbe.Wait(null)) return;
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
        long pages = Math.Clamp(bytes >> PageBits, LeastPages, _frameCount);
        Volatile.Write(ref _residentPages, (int)pages);
        Maintain(_tail.Page);
        Gate.Open(); // a wider window may have room at once, without a page leaving
    }

    /// <summary>Moves the tail to a boundary of the device's sectors: a commit may end there.</summary>
    /// <returns>The boundary: every record lies below it or begins at or above it.</returns>
    public long PadTail() => _tail.Pad(new BlockGeometry(PageBits), _sink.SectorSize);

    /// <summary>
    /// Pads the tail and freezes everything below, as a scan and a fold-over commit want it. It is flushed then.
    /// </summary>
    /// <returns>
    /// The address up to which records become immutable, on a boundary of sectors: wait for
    /// <see cref="SafeFrozenAddress"/>, or for <see cref="FlushedUntilAddress"/>.
    /// </returns>
    public long FreezeToTail()
    {
        long tail = PadTail();
        Move(readOnly: tail, head: 0);
        return tail;
    }

    /// <summary>Freezes everything below a page's start, at or below the tail.</summary>
    public void Freeze(long pageStart) => Move(readOnly: pageStart, head: 0);

    /// <summary>Lets pages leave memory up to a page's start, at or below the flushed address.</summary>
    public void Evict(long pageStart) => Move(readOnly: 0, head: pageStart);

    /// <summary>Gives up the records below an address: chains end above it. Idempotent.</summary>
    /// <param name="address">
    /// At or below the safe frozen address; and, where there are operations, the head: what is given up leaves memory
    /// first.
    /// </param>
    /// <returns>False when it was given up before.</returns>
    public bool RaiseBegin(long address)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(address, SafeFrozenAddress);
        return TryRaise(ref Markers.Begin, address, out _);
    }

    /// <summary>Pins what lies at an address and above.</summary>
    /// <returns>Null: it has been given up.</returns>
    public LogPins.Pin? TryPin(long address)
    {
        LogPins.Pin pin = Pins.Take(address);
        TProbe.Point(ProbePoint.RegionMarker);
        if (address >= BeginAddress || TProbe.Has(SeededBug.PinWithoutLook)) return pin;
        pin.Dispose();
        return null;
    }

    /// <summary>The device has everything below an address; the head may follow by whole pages.</summary>
    public void OnFlushed(long until)
    {
        if (TryRaise(ref _flushedUntil, until, out _)) Maintain(_tail.Page);
        Gate.Open(); // also for those who wait for the outcome of a retry
    }

    /// <summary>
    /// Puts an empty log where a commit ended: everything below <paramref name="tail"/> is frozen and safe. The frames
    /// from <paramref name="head"/> on are open, and zero, to be loaded by <see cref="RecordAllocator{T}.Pointer"/>.
    /// Before anything else runs.
    /// </summary>
    /// <param name="begin">The lowest valid address.</param>
    /// <param name="flushedUntil">Below it the device has the log; from it on the sink writes it again.</param>
    /// <param name="tail">Where the next record goes; on a boundary of sectors, or the first address.</param>
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
        Markers.Begin = begin;
        Markers.Head = head;
        _tail = new LogTail<TProbe>(PageBits, tail);
        _flushedUntil = flushedUntil > FirstAddress ? flushedUntil : 0; // blocks are written whole, the first one too
        _frozen = _safeFrozen = tail;
        PublishReadOnly(tail);
        PublishSafeReadOnly(tail);
        _closeClaim = _closedUntil = headPage << PageBits;
        for (long page = headPage; page < headPage + _frameCount; page++)
            _closedStatus[page & (_frameCount - 1)] = page;
    }

    /// <summary>Where the log stands, in pages: for messages about a log that does not move.</summary>
    public override string ToString() =>
        $"tail in page {_tail.Page}, frozen to {(double)Volatile.Read(ref _frozen) / PageSize:0.##}, safe to "
        + $"{(double)SafeFrozenAddress / PageSize:0.##}, flushed to {(double)FlushedUntilAddress / PageSize:0.##}, "
        + $"head at {HeadAddress >> PageBits}, closed to {Volatile.Read(ref _closedUntil) >> PageBits}, "
        + $"{ResidentPages} pages of {new ByteSize(PageSize)} in memory";

    /// <inheritdoc/>
    public sealed override void Split(long head, in SplitRule rule, out long left, out long right) =>
        LogChains<TProbe>.Split(this, _seed, head, rule, out left, out right);

    /// <inheritdoc/>
    public sealed override bool TryMerge(
        long left, long right, ulong hash, long largerBucketCount, out long head) =>
        LogChains<TProbe>.TryMerge(this, left, right, hash, largerBucketCount, out head);

    /// <inheritdoc/>
    public sealed override void Dispose() => _frames.Dispose();

    /// <summary>Tells operations that records below an address are to be copied rather than updated.</summary>
    protected abstract void PublishReadOnly(long address);

    /// <summary>Tells operations that nobody updates records below an address any more.</summary>
    protected abstract void PublishSafeReadOnly(long address);

    /// <summary>Raises a marker.</summary>
    /// <returns>False when it is there or beyond already; else <paramref name="old"/> is where it was.</returns>
    protected static bool TryRaise(ref long marker, long address, out long old)
    {
        for (;;)
        {
            TProbe.Point(ProbePoint.RegionMarker);
            old = Volatile.Read(ref marker);
            if (old >= address) return false;
            if (Interlocked.CompareExchange(ref marker, address, old) == old) return true;
        }
    }

    private bool IsHeldBack => Throttle is { } throttle && throttle.HoldsBack(_tail.Page);

    private bool CanOpen(long page) =>
        Volatile.Read(ref _closedStatus[page & (_frameCount - 1)]) == page
        && page + 1 - (Volatile.Read(ref _closedUntil) >> PageBits) <= ResidentPages
        && !IsHeldBack;

    private bool TryOpen(long page)
    {
        if (page >= Math.Min(LogTail<TProbe>.PageLimit, 1L << (RecordHeader.AddressBits - PageBits)))
        {
            throw new LimitExceededException(
                $"The log has used up its address space of {new ByteSize(page << PageBits)}. Copy the store into a "
                    + $"new one.");
        }

        if (!TProbe.Has(SeededBug.TurnIgnoresClosed) && !CanOpen(page))
        {
            Maintain(page - 1);
            if (!CanOpen(page)) return false;
        }

        if (_tail.TryTurn(page - 1)) Maintain(page);
        return true;
    }

    /// <summary>
    /// Moves the markers to where the tail's page wants them. Idempotent; anybody may call it at any time.
    /// </summary>
    private void Maintain(long tailPage) => Move(
        readOnly: (tailPage + 1 - MutablePages) << PageBits,
        head: Math.Min(tailPage + 2 - ResidentPages, FlushedUntilAddress >> PageBits) << PageBits);

    // One bump for both markers, as a turn of the page moves both. A marker that is there already stays.
    private void Move(long readOnly, long head)
    {
        bool movesReadOnly = TryRaise(ref _frozen, readOnly, out _);
        if (movesReadOnly) PublishReadOnly(readOnly);
        bool movesHead = TryRaise(ref Markers.Head, head, out _);
        if (movesHead && TProbe.Has(SeededBug.EvictWithoutEpoch)) OnHeadSafe(head);
        if (movesReadOnly && TProbe.Has(SeededBug.SafeReadOnlyWithoutEpoch)) OnReadOnlySafe(readOnly);
        if (!movesReadOnly && !movesHead) return;
        _epochs.Bump(() =>
        {
            if (movesHead) OnHeadSafe(head);
            if (movesReadOnly) OnReadOnlySafe(readOnly);
        });
    }

    private void OnReadOnlySafe(long address)
    {
        if (!TryRaise(ref _safeFrozen, address, out _)) return;
        PublishSafeReadOnly(address);
        BecameSafe?.Invoke(address);
        _sink.Wake();
        Gate.Open();
    }

    private void OnHeadSafe(long address)
    {
        // Two such actions may run at once; the one that raises the claim closes the pages between.
        if (!TryRaise(ref _closeClaim, address, out long old)) return;
        for (long page = old >> PageBits; page < address >> PageBits; page++)
        {
            long frame = page & (_frameCount - 1);
            _frames.Decommit(frame << PageBits, PageSize);
            // A full fence, as another such action may be closing the pages before: of two that publish a status and
            // then look for the other's, one sees both.
            Interlocked.Exchange(ref _closedStatus[frame], page + _frameCount);
        }

        for (;;)
        {
            long until = Volatile.Read(ref _closedUntil), next = until >> PageBits;
            if (Volatile.Read(ref _closedStatus[next & (_frameCount - 1)]) != next + _frameCount) break;
            Interlocked.CompareExchange(ref _closedUntil, (next + 1) << PageBits, until);
        }

        Gate.Open();
    }
}
