using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>What everybody who reads a log as a whole needs of its store.</summary>
/// <param name="Store">The store.</param>
/// <param name="Schema">Its records.</param>
/// <param name="Log">Its log.</param>
/// <param name="Storage">Where the log lies on the device.</param>
/// <param name="Snapshots">What commits have beside the log; null where nothing commits.</param>
internal sealed record LogSource<TProbe>(
    FasterStore<TProbe> Store, RecordSchema Schema, PagedLog<TProbe> Log, LogStorage Storage,
    SnapshotShelf? Snapshots)
    where TProbe : struct, IProbe
{
    /// <summary>Keeps the store in place while it is read.</summary>
    public ReaderGuard Guard { get; } = new();

    /// <summary>The commits, by which states of the past are told.</summary>
    public CommitExtents Commits { get; } = new(Snapshots);

    /// <summary>A record, its value in one piece.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">Its header.</param>
    /// <param name="address">Its address.</param>
    /// <param name="now">When it is looked at, in Unix milliseconds.</param>
    /// <remarks>
    /// A value that lies in chunks is gathered, by this call and in memory of its own; not one that has expired, whose
    /// chunks may be gone.
    /// </remarks>
    /// <exception cref="LogTruncatedException">The log has been truncated above a part of the value.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public unsafe RecordView View(byte* record, ulong header, long address, long now)
    {
        var outline = new RecordView(Log.Layout, record, header, address, now);
        return outline.IsTombstone || !LargeHead.IsIn(header)
            ? outline
            : new RecordView(Log.Layout, record, header, address, now, Gather(record, address));
    }

    /// <summary>Freezes the log up to its tail.</summary>
    /// <returns>The address up to which it is going to be immutable.</returns>
    public long FreezeToTail()
    {
        Guard.Enter();
        try
        {
            return Log.FreezeToTail();
        }
        finally
        {
            Guard.Leave();
        }
    }

    private unsafe byte[] Gather(byte* record, long address)
    {
        Guard.Enter();
        try
        {
            using var scan = new LargeScan<TProbe>(Store.Epochs, Log, Storage);
            return scan.TryMoveTo(Log.Layout.Value(record), address)
                ? scan.ToArray()
                : throw LogTruncatedException.Of(scan.Lowest, Log.BeginAddress);
        }
        finally
        {
            Guard.Leave();
        }
    }
}
