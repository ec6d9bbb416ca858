using System.Buffers;
using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Log;

/// <summary>
/// Reads a value that lies in chunks, forward, one chunk at a time: from memory under an epoch, else from the device.
/// </summary>
/// <remarks>
/// It pins what it has not read yet, so that a truncation waits, and is slow as its caller is. Between two chunks it is
/// inside no epoch. Not thread-safe: one reader.
/// </remarks>
internal sealed class LargeReader<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private readonly PagedLog<TProbe> _log;
    private readonly LogReader _reader;
    private readonly LogPins.Pin _pin;
    private readonly long _length;
    private unsafe EpochSlot* _slot;

    private unsafe LargeReader(
        EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogReader reader, in LargeHead head, LogPins.Pin pin)
    {
        _epochs = epochs;
        _log = log;
        _reader = reader;
        _pin = pin;
        _length = Left = head.Length;
        Next = head.FirstChunk;
        _slot = epochs.Acquire("the reader of a large value");
    }

    /// <summary>The next chunk; of length 0 when the value is read.</summary>
    public ChunkPlace Next { get; private set; }

    /// <summary>How many bytes of the value are still to come.</summary>
    public long Left { get; private set; }

    /// <summary>Stands before a value's first byte.</summary>
    /// <returns>Null: the log has been truncated above a part of the value.</returns>
    /// <exception cref="LimitExceededException">There is no memory for the reader's epoch slot.</exception>
    public static LargeReader<TProbe>? TryOpen(
        EpochTable<TProbe> epochs, PagedLog<TProbe> log, LogReader reader, in LargeHead head)
    {
        LogPins.Pin? pin = log.TryPin(head.Lowest);
        if (pin is null) return null;
        try
        {
            return new LargeReader<TProbe>(epochs, log, reader, head, pin);
        }
        catch
        {
            pin.Dispose(); // else nothing of the log from there on would be given back any more
            throw;
        }
    }

    /// <summary>Reads the next chunk, and moves on to the one behind it.</summary>
    /// <param name="room">Room for its bytes, of its length; or empty to step over it.</param>
    /// <exception cref="DamagedDataException">The chunk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public async ValueTask ReadNextAsync(Memory<byte> room)
    {
        ChunkPlace next = await ReadAsync(Next, room).ConfigureAwait(false);
        long left = Left - Next.Length;
        if (left < 0 || (left == 0) != (next.Length == 0)) throw _reader.Storage.NoRecord(Next.Address, 0);
        (Left, Next) = (left, next);
    }

    /// <summary>Reads any chunk of the value.</summary>
    /// <returns>The chunk behind it.</returns>
    public ValueTask<ChunkPlace> ReadAsync(ChunkPlace place, Memory<byte> room)
    {
        if (TryCopy(place, room, out ChunkPlace next)) return new ValueTask<ChunkPlace>(next);
        var read = new ChunkRead(_reader.Storage, place, room);
        read.Begin(_reader.Shared);
        return new ValueTask<ChunkPlace>(read.Done);
    }

    /// <summary>Reads the whole value into an array.</summary>
    /// <exception cref="LimitExceededException">It is longer than an array can be.</exception>
    public async Task<byte[]> GatherAsync()
    {
        byte[] value = Allocate(Left);
        while (Left > 0)
        {
            if (Next.Length > Left) throw _reader.Storage.NoRecord(Next.Address, 0);
            await ReadNextAsync(value.AsMemory((int)(_length - Left), Next.Length)).ConfigureAwait(false);
        }

        return value;
    }

    /// <summary>
    /// Reads the value into a writer, chunk by chunk. A pipe is flushed after each, so that its reader sets the pace;
    /// when that one is gone, so is the reading.
    /// </summary>
    /// <param name="destination">The writer.</param>
    /// <param name="onTaken">Hears, after each chunk, how many bytes the writer has taken; or null.</param>
    public async Task CopyToAsync(IBufferWriter<byte> destination, Action<long>? onTaken = null)
    {
        while (Left > 0)
        {
            int length = Next.Length;
            await ReadNextAsync(destination.GetMemory(length)[..length]).ConfigureAwait(false);
            destination.Advance(length);
            if (destination is PipeWriter pipe)
            {
                FlushResult flushed = await pipe.FlushAsync().ConfigureAwait(false);
                if (flushed.IsCanceled) throw new OperationCanceledException("The flush of the pipe was cancelled.");
                if (flushed.IsCompleted) return;
            }

            onTaken?.Invoke(_length - Left);
        }
    }

    /// <summary>Gives pin and epoch slot back. Idempotent.</summary>
    public unsafe void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
        _pin.Dispose();
    }

    /// <summary>An array for a whole value.</summary>
    /// <exception cref="LimitExceededException">There is none of that length, or no memory for it.</exception>
    public static byte[] Allocate(long length)
    {
        try
        {
            if (length <= Array.MaxLength) return GC.AllocateUninitializedArray<byte>((int)length);
            throw new LimitExceededException(
                $"A value of {length:N0} bytes can't be gathered in memory, where one has at most "
                + $"{Array.MaxLength:N0}. Read it piece by piece, into an IBufferWriter<byte>.");
        }
        catch (OutOfMemoryException e)
        {
            throw new LimitExceededException(
                $"There is no memory to gather a value of {length:N0} bytes in. Read it piece by piece, into an "
                + "IBufferWriter<byte>, or fewer of its kind at once.", e);
        }
    }

    private unsafe bool TryCopy(in ChunkPlace place, Memory<byte> room, out ChunkPlace next)
    {
        _epochs.Enter(_slot);
        try
        {
            next = default;
            if (place.Address < _log.HeadAddress) return false;
            next = ChunkRead.Copy(_reader.Storage, _log.Pointer(place.Address), long.MaxValue, place, room);
            return true;
        }
        finally
        {
            _epochs.Leave(_slot);
        }
    }
}
