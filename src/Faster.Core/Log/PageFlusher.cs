using System.Runtime.CompilerServices;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Memory;
using Faster.Threads;

namespace Faster.Log;

/// <summary>
/// Writes the immutable part of a log to the device in address order: encodes it part by part into a few buffers and
/// submits them, so flushing costs a bounded amount of memory and overlaps with everything else.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A part begins where the previous one ended and ends on a boundary of sectors, at the latest with its page, so
/// no block is written twice.</item>
/// <item>The log counts as flushed up to the first part whose write has not completed.</item>
/// <item>A part that could not be written is kept as encoded until it is retried: nothing is lost, the page stays in
/// memory, and operations that wait for its frame get the reason.</item>
/// <item>A part lies in one page, is immutable, and is written by the incarnation of this process only.</item>
/// <item>Once an invariant was found violated nothing more is written: what would follow can't be trusted. Everything
/// that waits for the log gets the reason.</item>
/// </list>
/// <para>Thread-safe. Any thread may run <see cref="TryStep"/>: a short lock hands each part to one of them, which
/// encodes and submits it outside of the lock. The thread that polls the device runs the completions.</para>
/// </remarks>
internal sealed class PageFlusher : IPageSink, IDisposable
{
    private static readonly TimeSpan RetryTimeout = TimeSpan.FromMilliseconds(900);

    private readonly LogStorage _storage;
    private readonly int _blocksPerPart;
    private readonly NativeBlock _buffers;
    private readonly Lock _lock = new();                   // guards what follows
    private readonly Stack<FlushPart> _idle = new();
    private readonly List<FlushPart> _failed = [];
    private readonly Dictionary<long, long> _written = []; // parts completed before an earlier one: from, until
    private PagedLog? _log;
    private long _cursor = -1;             // everything below is encoded, or being encoded; unknown at first
    private long _writtenUntil;            // everything below is on the device
    private int _retrying;                 // the number of parts that are being retried
    private long _retries;                 // the number of retries that have begun
    private bool _retry;                   // whether another was asked for
    private StorageException? _failure;    // while a part has failed; from here on, read without the lock, too
    private long _endedRetry;              // the number of the last retry that has ended
    private long _failedRetry;             // the number of the last one that has failed
    private InvariantException? _violation; // nothing is written any more

    /// <summary>Creates a flusher with a number of buffers.</summary>
    /// <param name="storage">The log's place on the device.</param>
    /// <param name="partBytes">The size of one write in bytes, a multiple of 4096.</param>
    /// <param name="parts">The maximum number of writes in flight.</param>
    public unsafe PageFlusher(LogStorage storage, int partBytes, int parts)
    {
        _storage = storage;
        partBytes = Math.Min(partBytes, storage.Geometry.PageStride);
        _blocksPerPart = partBytes / BlockFormat.BlockSize;
        _buffers = new NativeBlock((long)partBytes * parts);
        for (int i = 0; i < parts; i++)
            _idle.Push(new FlushPart(OnWritten, _buffers.Pointer + ((long)i * partBytes)));
    }

    /// <inheritdoc/>
    public int SectorSize => _storage.Device.SectorSize;

    /// <inheritdoc/>
    public bool HasFailed => Volatile.Read(ref _failure) is not null;

    /// <summary>Sets the log to write; the first step starts at its flushed address.</summary>
    public void Attach(PagedLog log) => _log = log;

    /// <inheritdoc/>
    public void Wake() => _storage.Device.Wake();

    /// <inheritdoc/>
    public void ThrowIfFailedAgain()
    {
        if (!TryAskForRetry(out long retry)) return;
        _log!.Gate.WaitFor(() => HasEnded(retry), RetryTimeout);
        ThrowIfNotWritten(retry, ", and its memory is full");
    }

    /// <summary>As <see cref="ThrowIfFailedAgain"/>, without blocking a thread.</summary>
    /// <param name="ct">Cancels the waiting.</param>
    public async Task ThrowIfFailedAgainAsync(CancellationToken ct)
    {
        if (!TryAskForRetry(out long retry)) return;
        using var stall = CancellationTokenSource.CreateLinkedTokenSource(ct);
        stall.CancelAfter(RetryTimeout);
        try
        {
            await _log!.Gate.WaitForAsync(() => HasEnded(retry), stall.Token).Here();
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            // The retry takes too long: the failure is reported.
        }

        ThrowIfNotWritten(retry, ", and its memory is full");
    }

    /// <summary>
    /// Retries failed writes, and waits for the outcome without blocking a thread. Other writes may have failed since.
    /// </summary>
    /// <param name="ct">Cancels the waiting.</param>
    /// <exception cref="StorageException">The retry has failed.</exception>
    public async Task RetryAsync(CancellationToken ct)
    {
        if (!TryAskForRetry(out long retry)) return;
        await _log!.Gate.WaitForAsync(() => HasEnded(retry), ct).Here();
        ThrowIfNotWritten(retry, string.Empty);
    }

    /// <summary>
    /// Waits until everything below an address is on the device; a failed write is retried once. Called outside every
    /// epoch.
    /// </summary>
    /// <param name="until">The address, at most the safe read-only one.</param>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public async Task FlushedAsync(long until)
    {
        while (_log!.FlushedUntilAddress < until)
        {
            await _log.Gate.WaitForAsync(() => _log.FlushedUntilAddress >= until || HasFailed, CancellationToken.None)
                .Here();
            await RetryAsync(CancellationToken.None).Here();
        }
    }

    /// <summary>
    /// Throws if a write has failed, and requests a retry without waiting for its outcome: the caller is a thread that
    /// performs the retry, and can't wait for itself.
    /// </summary>
    public void ThrowIfFailed()
    {
        if (Volatile.Read(ref _failure) is not { } failure) return;
        TryAskForRetry(out _);
        throw Unwritable(failure, ", and its memory is full");
    }

    /// <summary>Whether <see cref="TryStep"/> would submit a write.</summary>
    public bool HasWork
    {
        get
        {
            lock (_lock)
            {
                if (_retrying != 0 || _violation is not null) return false;
                return _failed.Count != 0 ? _retry : _idle.Count != 0 && TryFindPart(out _, out _);
            }
        }
    }

    /// <summary>
    /// Writes everything below an address on this thread, if the device can and no write has failed. Otherwise wakes
    /// the thread that polls the device, to which the rest is left.
    /// </summary>
    /// <param name="until">The address, at most the safe read-only one.</param>
    public void FlushHere(long until)
    {
        while (_log!.FlushedUntilAddress < until && TryStep(here: true)) { }
        if (_log.FlushedUntilAddress < until) Wake();
    }

    /// <summary>Submits a write if there is one to submit.</summary>
    /// <param name="here">Whether to write on this thread instead, if the device can.</param>
    /// <returns>Whether a write was submitted, or made.</returns>
    public bool TryStep(bool here = false)
    {
        try
        {
            return TryStepOnce(here);
        }
        catch (InvariantException e)
        {
            Stop(e);
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    private bool TryStepOnce(bool here)
    {
        FlushPart[] again = [];
        FlushPart? next = null;
        lock (_lock)
        {
            if (_retrying != 0 || _violation is not null) return false;
            if (_failed.Count == 0) next = TakeNext();
            else if (_retry) again = TakeFailed();
        }

        foreach (FlushPart part in again) Submit(part);
        if (next is not null) EncodeAndSubmit(next, here);
        return next is not null || again.Length != 0;
    }

    private void Stop(InvariantException violation)
    {
        lock (_lock)
        {
            _violation ??= violation;
            Volatile.Write(ref _failure, new StorageException(violation.Message, violation));
        }

        _log!.Gate.Signal();
    }

    // Asks for a retry that begins from now on: the outcome of one that is under way says nothing, for its cause may be
    // gone by now, and it does not include the parts that have failed since.
    private bool TryAskForRetry(out long retry)
    {
        lock (_lock)
        {
            retry = _retries + 1;
            if (_violation is { } violation) throw new StorageException(violation.Message, violation);
            if (_failure is null) return false;
            _retry = true;
        }

        _storage.Device.Wake();
        return true;
    }

    private bool HasEnded(long retry) => Volatile.Read(ref _endedRetry) >= retry;

    // A later failure is not the outcome of this retry. A caller that waits for more of the log asks for another one.
    private void ThrowIfNotWritten(long retry, string consequence)
    {
        bool succeeded = HasEnded(retry) && Volatile.Read(ref _failedRetry) < retry;
        if (!succeeded && Volatile.Read(ref _failure) is { } failure) throw Unwritable(failure, consequence);
    }

    private StorageException Unwritable(StorageException failure, string consequence) => new(
        $"The log can't be written to {_storage.Device.Name}{consequence}: {failure.Message}"
        + (failure.MayRetry ? " Nothing is lost: the records wait in memory." : ""), failure)
    {
        MayRetry = failure.MayRetry,
    };

    private FlushPart[] TakeFailed()
    {
        FlushPart[] again = [.. _failed];
        _failed.Clear();
        _retry = false;
        _retrying = again.Length;
        _retries++;
        foreach (FlushPart part in again) part.IsRetry = true;
        return again;
    }

    private FlushPart? TakeNext()
    {
        if (_idle.Count == 0 || !TryFindPart(out int firstBlock, out int blocks)) return null;
        BlockGeometry geometry = _storage.Geometry;
        long page = _cursor >> geometry.PageBits;
        long until = Math.Min((long)(firstBlock + blocks) * BlockFormat.Payload, geometry.PageBytes);
        CheckPart(page, firstBlock, blocks, (page << geometry.PageBits) + until);
        FlushPart part = _idle.Pop();
        part.From = _cursor;
        part.Until = (page << geometry.PageBits) + until;
        part.Offset = ((page * geometry.BlocksPerPage) + firstBlock) * BlockFormat.BlockSize;
        part.Length = blocks * BlockFormat.BlockSize;
        _cursor = part.Until;
        return part;
    }

    private void CheckPart(long page, int firstBlock, int blocks, long until)
    {
        int unit = SectorSize / BlockFormat.BlockSize;
        Invariant.Check(
            _cursor - (page << _log!.PageBits) == (long)firstBlock * BlockFormat.Payload
                && firstBlock % unit == 0 && blocks % unit == 0,
            $"a part begins and ends with a sector: {_cursor}, block {firstBlock}, {blocks} blocks");
        Invariant.Check(
            until > _cursor && until <= _log.SafeImmutableAddress && page >= _log.HeadAddress >> _log.PageBits,
            $"a part is immutable and in memory: {_cursor} to {until}; {_log}");
        Invariant.Check(
            _cursor >= _storage.OwnFrom && _writtenUntil <= _cursor,
            $"what is on the device is not written again: {_cursor}, {_storage.OwnFrom}, {_writtenUntil}");
    }

    // Finds the blocks from the cursor to the end of its page's immutable part, or to the next multiple of a part's
    // size: parts end on multiples, so that none ends among the blocks that only pad the page.
    private bool TryFindPart(out int firstBlock, out int blocks)
    {
        if (_cursor < 0) _cursor = _writtenUntil = _log!.FlushedUntilAddress;
        BlockGeometry geometry = _storage.Geometry;
        long page = _cursor >> geometry.PageBits << geometry.PageBits;
        long immutable = _log!.SafeImmutableAddress - page;
        firstBlock = (int)(_cursor - page) / BlockFormat.Payload;
        int end = immutable >= geometry.PageBytes
            ? geometry.BlocksPerPage
            : (int)(immutable / BlockFormat.Payload) & -(SectorSize / BlockFormat.BlockSize);
        blocks = Math.Min(end, (firstBlock / _blocksPerPart + 1) * _blocksPerPart) - firstBlock;
        return blocks > 0;
    }

    // The page stays in memory until the part is written.
    private unsafe void EncodeAndSubmit(FlushPart part, bool here)
    {
        BlockFormat.Encode(
            _storage.IdentityOf(part.From), part.Offset / BlockFormat.BlockSize, _log!.Pointer(part.From),
            (int)(part.Until - part.From), part.Buffer, part.Length / BlockFormat.BlockSize);
        if (here && _storage.Device.TryTransfer(part)) OnWritten(part);
        else Submit(part);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Submit(FlushPart part)
    {
        part.Error = null;
        IORequest request = part;
        try
        {
            _storage.Device.SubmitTyped(new ReadOnlySpan<IORequest>(ref request));
        }
        catch (Exception e)
        {
            // A part that neither the device nor the flusher owns would never be written.
            part.Error = e;
            OnWritten(part);
        }
    }

    private void OnWritten(FlushPart part)
    {
        try
        {
            Count(part);
        }
        catch (InvariantException e)
        {
            Stop(e);
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Count(FlushPart part)
    {
        long until = 0;
        lock (_lock)
        {
            bool isRetry = part.IsRetry;
            Invariant.Check(
                part.From >= _writtenUntil && part.Until <= _cursor && !_written.ContainsKey(part.From)
                    && _retrying >= (isRetry ? 1 : 0),
                $"a part is written once: {part.From} to {part.Until}, after {_writtenUntil}, of {_cursor}");
            part.IsRetry = false;
            if (part.Error is { } error)
            {
                _failed.Add(part);
                Volatile.Write(
                    ref _failure,
                    error as StorageException ?? new StorageException(error.Message, error) { MayRetry = true });
                if (isRetry) Volatile.Write(ref _failedRetry, _retries);
            }
            else
            {
                _storage.CountWrite(part.Length);
                _written[part.From] = part.Until;
                while (_written.Remove(_writtenUntil, out long next)) _writtenUntil = next;
                until = _writtenUntil;
                _idle.Push(part);
            }

            if (isRetry && --_retrying == 0) EndRetry();
        }

        if (until == 0) _log!.Gate.Signal();
        else _log!.OnFlushed(until);
    }

    // If everything is written, another retry that was asked for has nothing to do, and has succeeded.
    private void EndRetry()
    {
        if (_failed.Count == 0)
        {
            if (_retry) _retries++;
            _retry = false;
            if (_violation is null) Volatile.Write(ref _failure, null);
        }

        Volatile.Write(ref _endedRetry, _retries);
    }
}
