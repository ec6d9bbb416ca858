using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Log.Large;

/// <summary>Reads one fragment of a large value from the device into the caller's memory.</summary>
/// <remarks>Single use, single owner. Not thread-safe.</remarks>
/// <param name="storage">The log's place on the device.</param>
/// <param name="place">The fragment.</param>
/// <param name="destination">Receives the fragment's bytes; empty when only its prefix is wanted.</param>
internal sealed class FragmentRead(LogStorage storage, FragmentPlace place, Memory<byte> destination) : RecordRead
{
    private readonly TaskCompletionSource<FragmentPlace> _done =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when the bytes have been copied, with the place of the next fragment of the value.</summary>
    public Task<FragmentPlace> Done => _done.Task;

    /// <summary>Starts the read.</summary>
    public void Begin(ReadQueue reads) =>
        reads.Read(this, place.Address, ValueFragment.Prefix + destination.Length);

    /// <inheritdoc/>
    public override unsafe void OnRead(byte* record, Exception? error)
    {
        try
        {
            if (error is not null) _done.SetException(error);
            else _done.SetResult(Copy(storage, record, Available, place, destination));
        }
        catch (Exception e)
        {
            _done.SetException(e);
        }
    }

    /// <summary>Copies a fragment's bytes out of the log.</summary>
    /// <param name="storage">The log's place on the device, for messages.</param>
    /// <param name="record">The fragment.</param>
    /// <param name="available">The number of bytes that are available at <paramref name="record"/>.</param>
    /// <param name="place">The fragment's expected address and length.</param>
    /// <param name="destination">Receives the bytes.</param>
    /// <returns>The place of the next fragment.</returns>
    /// <exception cref="DamagedDataException">The record is not the expected fragment.</exception>
    public static unsafe FragmentPlace Copy(
        LogStorage storage, byte* record, long available, in FragmentPlace place, Memory<byte> destination)
    {
        if (available < ValueFragment.Prefix + destination.Length || !ValueFragment.TryRead(record, place,
            out FragmentPlace next))
            throw storage.NoRecord(place.Address, available < RecordHeader.Size ? 0 : RecordHeader.Read(record));
        new ReadOnlySpan<byte>(record + ValueFragment.Prefix, destination.Length).CopyTo(destination.Span);
        return next;
    }
}
