using Faster.Contracts;
using Faster.Devices;
using Faster.Memory;

namespace Faster.Log;

/// <summary>
/// Writes the immutable part of a log to the device, in the order of addresses: encodes it part by part into a few
/// buffers and submits these, so that flushing costs a bounded amount of memory and overlaps with everything else.
/// </summary>
/// <remarks>
/// Invariants: a part begins where the one before ended and ends on a boundary of sectors, at the latest with its page;
/// so no block is written twice, and the log counts as flushed up to the first part that is not back.
/// <para>The pump's thread runs <see cref="TryStep"/> and the completions; other threads only wake it and look at
/// failures. A part that could not be written is kept, encoded as it is, until it is tried again: nothing is lost, the
/// page stays in memory, and those who wait for its frame are told why.</para>
/// </remarks>
internal sealed class PageFlusher<TProbe> : IPageSink, IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan RetryPatience = TimeSpan.FromMilliseconds(900);

    private readonly LogStorage _storage;
    private readonly int _blocksPerPart;
    private readonly NativeBlock _buffers;
    private readonly Stack<Part> _idle = new();
    private readonly List<Part> _failed = [];
    private readonly Dictionary<long, long> _written = []; // ahead of an earlier part: from where to where
    private PagedLog<TProbe>? _log;
    private long _cursor = -1;             // everything below has been encoded; unknown before the first step
    private int _retrying;                 // how many parts are being tried again
    private StorageException? _failure;
    private long _failures;
    private bool _retry;

    /// <summary>Makes a flusher with a number of buffers.</summary>
    /// <param name="storage">Where pages go.</param>
    /// <param name="partBytes">The size of one write, a multiple of 4096.</param>
    /// <param name="parts">How many writes may be under way at once.</param>
    public unsafe PageFlusher(LogStorage storage, int partBytes, int parts)
    {
        _storage = storage;
        partBytes = Math.Min(partBytes, storage.Geometry.PageStride);
        _blocksPerPart = partBytes / BlockFormat.BlockSize;
        _buffers = new NativeBlock((long)partBytes * parts, hugePages: false);
        for (int i = 0; i < parts; i++)
            _idle.Push(new Part(this, _buffers.Pointer + ((long)i * partBytes)));
    }

    /// <inheritdoc/>
    public int SectorSize => _storage.Device.SectorSize;

    /// <inheritdoc/>
    public bool HasFailed => Volatile.Read(ref _failure) is not null;

    /// <summary>Names the log that is to be written, from where it is flushed when the first step is made.</summary>
    public void Attach(PagedLog<TProbe> log) => _log = log;

    /// <inheritdoc/>
    public void Wake() => _storage.Device.Wake();

    /// <inheritdoc/>
    public void ThrowIfFailedAgain()
    {
        if (!HasFailed) return;
        _log!.Gate.Wait(AskForRetry(), RetryPatience);
        if (Volatile.Read(ref _failure) is { } failure) throw Unwritable(failure, ", and its memory is full");
    }

    /// <summary>As <see cref="ThrowIfFailedAgain"/>, without a thread.</summary>
    /// <param name="ct">Ends the waiting.</param>
    public async Task ThrowIfFailedAgainAsync(CancellationToken ct)
    {
        if (!HasFailed) return;
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(ct);
        patience.CancelAfter(RetryPatience);
        try
        {
            await _log!.Gate.WaitForAsync(AskForRetry(), patience.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            // The retry takes long: the failure stands.
        }

        ThrowIfFailed(", and its memory is full");
    }

    /// <summary>Tries failed writes again, and waits for the outcome without a thread.</summary>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="StorageException">They have failed again.</exception>
    public async Task RetryAsync(CancellationToken ct)
    {
        if (!HasFailed) return;
        await _log!.Gate.WaitForAsync(AskForRetry(), ct).ConfigureAwait(false);
        ThrowIfFailed(string.Empty);
    }

    /// <summary>
    /// Throws if the last write failed, and has it tried again without waiting for the outcome: the pump's own thread,
    /// which is to try, can't wait for itself.
    /// </summary>
    public void ThrowIfFailed()
    {
        if (HasFailed) Volatile.Write(ref _retry, true);
        ThrowIfFailed(", and its memory is full");
    }

    /// <summary>Starts what can be started. Called by the pump's thread.</summary>
    /// <returns>Whether a write was submitted.</returns>
    public bool TryStep()
    {
        if (_retrying != 0) return false;
        if (_failed.Count != 0) return Interlocked.Exchange(ref _retry, false) && SubmitFailed();
        if (_cursor < 0) _cursor = _log!.FlushedUntilAddress;
        if (_idle.Count == 0 || !TryFindPart(out int firstBlock, out int blocks)) return false;
        EncodeAndSubmit(_idle.Pop(), firstBlock, blocks);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _buffers.Dispose();

    private Func<bool> AskForRetry()
    {
        long failures = Volatile.Read(ref _failures);
        Volatile.Write(ref _retry, true);
        _storage.Device.Wake();
        return () => Volatile.Read(ref _failures) != failures || !HasFailed;
    }

    private void ThrowIfFailed(string consequence)
    {
        if (Volatile.Read(ref _failure) is { } failure) throw Unwritable(failure, consequence);
    }

    private StorageException Unwritable(StorageException failure, string consequence) => new(
        $"The log can't be written to {_storage.Device.Name}{consequence}: {failure.Message} "
        + "Nothing is lost: the records wait in memory. Mend the cause (free space, for one) and call again.", failure)
    {
        MayRetry = true,
    };

    private bool SubmitFailed()
    {
        Part[] again = [.. _failed];
        _failed.Clear();
        _retrying = again.Length;
        foreach (Part part in again)
        {
            part.IsRetry = true;
            Submit(part);
        }

        return true;
    }

    // The blocks from the cursor to the end of what is frozen in its page, or to the next multiple of a part's size:
    // parts end on multiples, so that none ends among the blocks that only fill the page up.
    private bool TryFindPart(out int firstBlock, out int blocks)
    {
        BlockGeometry geometry = _storage.Geometry;
        long page = _cursor >> geometry.PageBits << geometry.PageBits;
        long frozen = _log!.SafeFrozenAddress - page;
        firstBlock = (int)(_cursor - page) / BlockFormat.Payload;
        int end = frozen >= geometry.PageBytes
            ? geometry.BlocksPerPage
            : (int)(frozen / BlockFormat.Payload) & -(SectorSize / BlockFormat.BlockSize);
        blocks = Math.Min(end, (firstBlock / _blocksPerPart + 1) * _blocksPerPart) - firstBlock;
        return blocks > 0;
    }

    private unsafe void EncodeAndSubmit(Part part, int firstBlock, int blocks)
    {
        BlockGeometry geometry = _storage.Geometry;
        long page = _cursor >> geometry.PageBits;
        long from = (long)firstBlock * BlockFormat.Payload, until = from + ((long)blocks * BlockFormat.Payload);
        until = Math.Min(until, geometry.PageBytes);
        long first = (page * geometry.BlocksPerPage) + firstBlock;
        byte* payload = _log!.Pointer(_cursor);
        BlockFormat.Encode(
            _storage.SealOf(_cursor), first, payload, (int)(until - from), part.Buffer, blocks);
        part.From = _cursor;
        part.Until = (page << geometry.PageBits) + until;
        part.Offset = first * BlockFormat.BlockSize;
        part.Length = blocks * BlockFormat.BlockSize;
        _cursor = part.Until;
        Submit(part);
    }

    private void Submit(Part part)
    {
        part.Error = null;
        IoRequest request = part;
        try
        {
            _storage.Device.Submit(new ReadOnlySpan<IoRequest>(ref request));
        }
        catch (Exception e)
        {
            // A part that neither the device nor the flusher has would be missing for ever.
            part.Error = e;
            OnWritten(part);
        }
    }

    private void OnWritten(Part part)
    {
        if (part.IsRetry) _retrying--;
        part.IsRetry = false;
        if (part.Error is { } error)
        {
            _failed.Add(part);
            Volatile.Write(ref _failure, error as StorageException ?? new StorageException(error.Message, error));
            Interlocked.Increment(ref _failures);
            _log!.Gate.Open();
            return;
        }

        _storage.CountWrite(part.Length);
        _idle.Push(part);
        if (_failed.Count == 0 && _retrying == 0) Volatile.Write(ref _failure, null);
        _written[part.From] = part.Until;
        long until = _log!.FlushedUntilAddress;
        while (_written.Remove(until, out long next)) until = next;
        _log.OnFlushed(until);
    }

    private sealed unsafe class Part : LogRequest
    {
        private readonly PageFlusher<TProbe> _flusher;

        public Part(PageFlusher<TProbe> flusher, byte* buffer)
        {
            _flusher = flusher;
            Buffer = buffer;
            Kind = IoKind.Write;
        }

        public long From { get; set; }

        public long Until { get; set; }

        public bool IsRetry { get; set; }

        public override void OnCompleted() => _flusher.OnWritten(this);
    }
}
