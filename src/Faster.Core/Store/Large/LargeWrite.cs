using System.Buffers;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// A new value that does not fit a page, on its way into the log: its chunks are written, outside every epoch, before
/// the operation that has made it tries again and links a record to them (docs/LARGEVALUES.md).
/// </summary>
/// <remarks>
/// The chunks belong to no key and to no version: whether and when the value counts is decided by its record. A merge
/// with a value that expires may need two: the other one takes its place if that value has died by the time of the link
/// (<see cref="MergedLink{TProbe}"/>). Not thread-safe: it belongs to one operation.
/// </remarks>
internal sealed class LargeWrite<TProbe>
    where TProbe : struct, IProbe
{
    private readonly byte[]? _basis;   // the old value from which an updater has made this one
    private readonly CancellationToken _cancellation;
    private readonly ReadOnlySequence<byte> _value;
    private ReadOnlySequence<byte> _rest;
    private ChunkWrites.Write? _announced;

    /// <summary>A value that is blind to the old one.</summary>
    /// <param name="value">The value, which stays as it is until its record is linked.</param>
    /// <param name="cancellation">Gives it up while its chunks are written.</param>
    public LargeWrite(ReadOnlySequence<byte> value, CancellationToken cancellation = default)
    {
        _value = _rest = value;
        _cancellation = cancellation;
    }

    /// <summary>A value that an updater has made.</summary>
    /// <param name="value">The value.</param>
    /// <param name="basis">The old value that it was made from; null when there was none.</param>
    public LargeWrite(ReadOnlyMemory<byte> value, byte[]? basis)
    {
        _value = _rest = new ReadOnlySequence<byte>(value);
        _basis = basis;
    }

    /// <summary>Whether it is compaction that writes them, on whichever thread: it is not held back.</summary>
    public bool IsOfCompaction { get; init; }

    /// <summary>The value that may take the place of this one, if it does not fit a page either.</summary>
    public LargeWrite<TProbe>? Without { get; private set; }

    /// <summary>Whether the chunks of this value are written.</summary>
    public bool IsWritten => _rest.IsEmpty;

    /// <summary>Whether the chunks are written, those of the other value, too.</summary>
    public bool IsDone => IsWritten && Without is null or { IsDone: true };

    /// <summary>What the value's record is to hold, once the chunks are written.</summary>
    public LargeHead Head { get; private set; }

    /// <summary>
    /// Whether an updater would make the same value now. It was called with the old value as it was; what it makes of
    /// the same bytes is as good a second time, so it is not called again.
    /// </summary>
    public bool IsMadeFrom(bool exists, ReadOnlySpan<byte> old) =>
        exists ? _basis is not null && old.SequenceEqual(_basis) : _basis is null;

    /// <summary>Prepares the value that may take the place of this one.</summary>
    /// <param name="value">The value; empty when it fits a page, or there is none.</param>
    public void PrepareWithout(ReadOnlySpan<byte> value)
    {
        if (value.IsEmpty ? Without is null : Without?.IsMadeFrom(true, value) == true) return;
        Without?.End();
        if (value.IsEmpty)
        {
            Without = null;
            return;
        }

        byte[] made = value.ToArray();
        Without = new LargeWrite<TProbe>(made, basis: made) { IsOfCompaction = IsOfCompaction };
    }

    /// <summary>
    /// Whether chunks are still to be written: not all are, or the log is being given up where the first of them lies,
    /// and then all are written again. Asked in the epoch in which the record is linked.
    /// </summary>
    public bool IsLackingUnderEpoch(RecordAllocator<TProbe> log)
    {
        TProbe.Point(ProbePoint.RegionMarker);
        bool isGivenUp = IsWritten && Head.Lowest < ((PagedLog<TProbe>)log).Writes.Floor
            && !TProbe.Has(SeededBug.HeadIgnoresFloor);
        if (isGivenUp) _rest = _value;
        _ = Without?.IsLackingUnderEpoch(log);
        return !IsDone;
    }

    /// <summary>Writes the chunks; waits for room.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public void Write(FasterStore<TProbe> store, ulong hash)
    {
        if (!IsWritten) WriteOwn(store, hash);
        if (Without is { IsDone: false } other) other.Write(store, hash);
    }

    private void WriteOwn(FasterStore<TProbe> store, ulong hash)
    {
        using ChunkWriter<TProbe> writer = store.WriteChunks(hash);
        var patience = new Patience<TProbe>(store);
        for (Announce(store.Chunked()); !IsWritten;)
        {
            if (TryStep(writer))
            {
                patience = new Patience<TProbe>(store);
                continue;
            }

            store.Log.WaitForRoom();
            patience.Check(Outcome.NoRoom);
        }
    }

    /// <summary>Writes the chunks, and waits for room without a thread.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    /// <exception cref="OperationCanceledException">The write was given up: nothing of it is visible.</exception>
    public async Task WriteAsync(FasterStore<TProbe> store, ulong hash)
    {
        if (!IsWritten) await WriteOwnAsync(store, hash).ConfigureAwait(false);
        if (Without is { IsDone: false } other) await other.WriteAsync(store, hash).ConfigureAwait(false);
    }

    private async Task WriteOwnAsync(FasterStore<TProbe> store, ulong hash)
    {
        using ChunkWriter<TProbe> writer = store.WriteChunks(hash);
        for (Announce(store.Chunked()); !IsWritten;)
        {
            _cancellation.ThrowIfCancellationRequested();
            if (!TryStep(writer)) await store.RoomAsync(_cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>Says that the chunks are going to be written, all of them.</summary>
    public void Announce(PagedLog<TProbe> log)
    {
        _announced?.End();
        _announced = log.Writes.Begin(log.TailAddress);
    }

    /// <summary>Writes one chunk.</summary>
    /// <returns>False when no page frame is free.</returns>
    public bool TryStep(ChunkWriter<TProbe> writer)
    {
        bool passed = TailThrottle.Pass(IsOfCompaction);
        int taken;
        try
        {
            taken = writer.TryPrepend(_rest);
        }
        finally
        {
            _ = TailThrottle.Pass(passed);
        }

        if (taken == 0) return false;
        _announced!.Move(writer.Head.Lowest);
        _rest = _rest.Slice(0, _rest.Length - taken);
        if (IsWritten) Head = writer.Head;
        return true;
    }

    /// <summary>The record is linked, or nobody is going to link one. Idempotent; takes no lock.</summary>
    public void End()
    {
        _announced?.End();
        Without?.End();
    }
}
