namespace Faster.Log;

/// <summary>Reads one chunk of a large value from the device into memory of its caller.</summary>
/// <remarks>One use, one owner.</remarks>
/// <param name="storage">Where the log lies.</param>
/// <param name="place">The chunk.</param>
/// <param name="room">Gets the chunk's bytes; empty when only its prefix is wanted.</param>
internal sealed class ChunkRead(LogStorage storage, ChunkPlace place, Memory<byte> room) : RecordRead
{
    private readonly TaskCompletionSource<ChunkPlace> _done =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when the bytes are there: with the place of the chunk behind.</summary>
    public Task<ChunkPlace> Done => _done.Task;

    /// <summary>Begins.</summary>
    public void Begin(ReadQueue reads) =>
        reads.Read(this, place.Address, LargeChunk.Prefix + room.Length);

    /// <inheritdoc/>
    public override unsafe void OnRead(byte* record, Exception? error)
    {
        try
        {
            if (error is not null) _done.SetException(error);
            else _done.SetResult(Copy(storage, record, Available, place, room));
        }
        catch (Exception e)
        {
            _done.SetException(e);
        }
    }

    /// <summary>Copies a chunk's bytes out of the log.</summary>
    /// <param name="storage">Where the log lies, for messages.</param>
    /// <param name="record">The chunk.</param>
    /// <param name="available">How many bytes are there.</param>
    /// <param name="place">Where it is said to be, and how long.</param>
    /// <param name="room">Gets its bytes.</param>
    /// <returns>The chunk behind.</returns>
    /// <exception cref="DamagedDataException">No such chunk is there.</exception>
    public static unsafe ChunkPlace Copy(
        LogStorage storage, byte* record, long available, in ChunkPlace place, Memory<byte> room)
    {
        if (available < LargeChunk.Prefix + room.Length || !LargeChunk.TryRead(record, place, out ChunkPlace next))
            throw storage.NoRecord(place.Address, available < RecordHeader.Size ? 0 : RecordHeader.Read(record));
        new ReadOnlySpan<byte>(record + LargeChunk.Prefix, room.Length).CopyTo(room.Span);
        return next;
    }
}
