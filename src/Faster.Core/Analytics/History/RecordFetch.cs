using Faster.Analytics.Scans;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.Analytics.History;

/// <summary>Reads one record from the device into a buffer. Used once.</summary>
internal sealed class RecordFetch(LogReader reader, RecordBuffer buffer) : RecordRead
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Reads the record at an address.</summary>
    /// <exception cref="DamagedDataException">There is no record, or its block is damaged.</exception>
    /// <exception cref="StorageException">The device cannot be read.</exception>
    public Task RunAsync(long address)
    {
        reader.Shared.Read(this, address);
        return _done.Task;
    }

    /// <inheritdoc/>
    public override unsafe void OnRead(byte* record, Exception? error)
    {
        try
        {
            if (error is null)
            {
                long size = Examine(reader, record);
                if (size > Available)
                {
                    ReadMore(size);
                    return;
                }

                buffer.Take(record, RecordHeader.Read(record), Address);
            }
        }
        catch (Exception e)
        {
            error = e;
        }

        if (error is null) _done.SetResult();
        else _done.SetException(error);
    }

    private void ReadMore(long size)
    {
        long pageSize = reader.Storage.Geometry.PageBytes;
        if (size > pageSize - (Address & (pageSize - 1))) throw reader.Storage.NoRecord(Address, 0);
        Reads.Read(this, Address, (int)size);
    }
}
