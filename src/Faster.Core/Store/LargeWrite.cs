using System.Buffers;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// A new value that does not fit a page, on its way into the log: its chunks are written, outside every epoch, before
/// the operation that has made it tries again and links a record to them (docs/LARGEVALUES.md).
/// </summary>
/// <remarks>
/// The chunks belong to no key and to no version: whether and when the value counts is decided by its record. Not
/// thread-safe: it belongs to one operation.
/// </remarks>
internal sealed class LargeWrite<TProbe>
    where TProbe : struct, IProbe
{
    private readonly byte[]? _basis;   // the old value from which an updater has made this one
    private readonly CancellationToken _cancellation;
    private ReadOnlySequence<byte> _rest;

    /// <summary>A value that is blind to the old one.</summary>
    /// <param name="value">The value, which stays as it is until it is written.</param>
    /// <param name="cancellation">Gives it up while its chunks are written.</param>
    public LargeWrite(ReadOnlySequence<byte> value, CancellationToken cancellation = default)
    {
        _rest = value;
        _cancellation = cancellation;
    }

    /// <summary>A value that an updater has made.</summary>
    /// <param name="value">The value.</param>
    /// <param name="basis">The old value that it was made from; null when there was none.</param>
    public LargeWrite(ReadOnlyMemory<byte> value, byte[]? basis)
    {
        _rest = new ReadOnlySequence<byte>(value);
        _basis = basis;
    }

    /// <summary>Whether the chunks are written.</summary>
    public bool IsDone => _rest.IsEmpty;

    /// <summary>What the value's record is to hold, once the chunks are written.</summary>
    public LargeHead Head { get; private set; }

    /// <summary>
    /// Whether an updater would make the same value now. It was called with the old value as it was; what it makes of
    /// the same bytes is as good a second time, so it is not called again.
    /// </summary>
    public bool IsMadeFrom(bool exists, ReadOnlySpan<byte> old) =>
        exists ? _basis is not null && old.SequenceEqual(_basis) : _basis is null;

    /// <summary>Writes the chunks; waits for room.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public void Write(FasterStore<TProbe> store)
    {
        using ChunkWriter<TProbe> writer = store.WriteChunks();
        var patience = new Patience<TProbe>(store);
        while (!IsDone)
        {
            int taken = writer.TryPrepend(_rest);
            if (taken == 0)
            {
                store.Log.WaitForRoom();
                patience.Check();
                continue;
            }

            Step(writer, taken);
            patience = new Patience<TProbe>(store);
        }
    }

    /// <summary>Writes the chunks, and waits for room without a thread.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    /// <exception cref="OperationCanceledException">The write was given up: nothing of it is visible.</exception>
    public async Task WriteAsync(FasterStore<TProbe> store)
    {
        using ChunkWriter<TProbe> writer = store.WriteChunks();
        while (!IsDone)
        {
            _cancellation.ThrowIfCancellationRequested();
            int taken = writer.TryPrepend(_rest);
            if (taken == 0) await store.RoomAsync(_cancellation).ConfigureAwait(false);
            else Step(writer, taken);
        }
    }

    private void Step(ChunkWriter<TProbe> writer, int taken)
    {
        _rest = _rest.Slice(0, _rest.Length - taken);
        if (IsDone) Head = writer.Head;
    }
}
