using System.Buffers;
using System.IO.Pipelines;
using Faster.Epochs;
using Faster.Log.Reads;
using Faster.Threads;

namespace Faster.Log.Large;

/// <summary>
/// Reads a large value forward, one fragment at a time: from memory under an epoch, otherwise from the device.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The part of the log that it has not read yet is pinned: its space is not released.</item>
/// <item>Between two fragments it is inside no epoch; its pace is its caller's.</item>
/// <item>The bytes left are those of the fragments from <see cref="Next"/> on.</item>
/// </list>
/// <para>Not thread-safe: one reader.</para>
/// </remarks>
internal sealed class LargeReader : IDisposable
{
    private readonly EpochTable _epochs;
    private readonly PagedLog _log;
    private readonly LogReader _reader;
    private readonly LogPins.Pin _pin;
    private readonly long _length;
    private unsafe EpochSlot* _slot;

    private unsafe LargeReader(EpochTable epochs, PagedLog log, LogReader reader, in LargeHead head, LogPins.Pin pin)
    {
        _epochs = epochs;
        _log = log;
        _reader = reader;
        _pin = pin;
        _length = Left = head.Length;
        Next = head.FirstFragment;
        _slot = epochs.Acquire("the reader of a large value");
    }

    /// <summary>The next fragment; its length is 0 when the whole value has been read.</summary>
    public FragmentPlace Next { get; private set; }

    /// <summary>The number of bytes of the value that have not been read yet.</summary>
    public long Left { get; private set; }

    /// <summary>Opens a reader before a value's first byte.</summary>
    /// <returns>Null when the log has been truncated above a part of the value.</returns>
    /// <exception cref="LimitExceededException">There is no memory for the reader's epoch slot.</exception>
    public static LargeReader? TryOpen(EpochTable epochs, PagedLog log, LogReader reader, in LargeHead head)
    {
        LogPins.Pin? pin = log.TryPin(head.Lowest);
        if (pin is null) return null;
        try
        {
            return new LargeReader(epochs, log, reader, head, pin);
        }
        catch
        {
            pin.Dispose(); // otherwise the log could not be truncated from there on any more
            throw;
        }
    }

    /// <summary>Reads the next fragment, and moves on to the one after it.</summary>
    /// <param name="destination">Receives its bytes: of the fragment's length, or empty to skip it.</param>
    /// <exception cref="DamagedDataException">The fragment is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read.</exception>
    public async ValueTask ReadNextAsync(Memory<byte> destination)
    {
        FragmentPlace next = await ReadAsync(Next, destination).Here();
        long left = Left - Next.Length;
        if (left < 0 || (left == 0) != (next.Length == 0)) throw _reader.Storage.NoRecord(Next.Address, 0);
        (Left, Next) = (left, next);
    }

    /// <summary>Reads any fragment of the value, without moving on.</summary>
    /// <returns>The place of the fragment after it.</returns>
    public ValueTask<FragmentPlace> ReadAsync(FragmentPlace place, Memory<byte> destination)
    {
        if (TryCopy(place, destination, out FragmentPlace next)) return new ValueTask<FragmentPlace>(next);
        var read = new FragmentRead(_reader.Storage, place, destination);
        read.Begin(_reader.Shared);
        return new ValueTask<FragmentPlace>(read.Done);
    }

    /// <summary>Reads the whole value into an array.</summary>
    /// <exception cref="LimitExceededException">The value is longer than an array can be.</exception>
    public async Task<byte[]> GatherAsync()
    {
        byte[] value = Allocate(Left);
        while (Left > 0)
        {
            if (Next.Length > Left) throw _reader.Storage.NoRecord(Next.Address, 0);
            await ReadNextAsync(value.AsMemory((int)(_length - Left), Next.Length)).Here();
        }

        return value;
    }

    /// <summary>
    /// Copies the value into a writer, fragment by fragment. A pipe is flushed after each, so that its reader sets the
    /// pace; when the pipe's reader has completed, copying stops.
    /// </summary>
    /// <param name="destination">The writer.</param>
    /// <param name="onTaken">
    /// Called after each fragment with the number of bytes that the writer has taken; or null.
    /// </param>
    public async Task CopyToAsync(IBufferWriter<byte> destination, Action<long>? onTaken = null)
    {
        while (Left > 0)
        {
            int length = Next.Length;
            await ReadNextAsync(destination.GetMemory(length)[..length]).Here();
            destination.Advance(length);
            if (destination is PipeWriter pipe)
            {
                FlushResult flushed = await pipe.FlushAsync().Here();
                if (flushed.IsCanceled) throw new OperationCanceledException("The flush of the pipe was canceled.");
                if (flushed.IsCompleted) return;
            }

            onTaken?.Invoke(_length - Left);
        }
    }

    /// <summary>Releases the pin and the epoch slot. Idempotent.</summary>
    public unsafe void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
        _pin.Dispose();
    }

    /// <summary>Allocates an array for a whole value; its bytes are not cleared.</summary>
    /// <exception cref="LimitExceededException">An array can't be that long, or there is no memory for it.</exception>
    public static byte[] Allocate(long length)
    {
        try
        {
            if (length <= Array.MaxLength) return GC.AllocateUninitializedArray<byte>((int)length);
            throw new LimitExceededException(
                $"A value of {length:N0} bytes can't be gathered in memory: an array holds at most "
                + $"{Array.MaxLength:N0} bytes. Read it piece by piece, into an IBufferWriter<byte>.");
        }
        catch (OutOfMemoryException e)
        {
            throw new LimitExceededException(
                $"There is no memory to gather a value of {length:N0} bytes. Read it piece by piece, into an "
                + "IBufferWriter<byte>, or read fewer large values at once.", e);
        }
    }

    private unsafe bool TryCopy(in FragmentPlace place, Memory<byte> destination, out FragmentPlace next)
    {
        _epochs.Enter(_slot);
        try
        {
            next = default;
            if (place.Address < _log.HeadAddress) return false;
            next = FragmentRead.Copy(_reader.Storage, _log.Pointer(place.Address), long.MaxValue, place, destination);
            return true;
        }
        finally
        {
            _epochs.Leave(_slot);
        }
    }
}
