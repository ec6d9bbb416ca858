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

    /// <summary>The whole value of a record, if it lies in chunks; nothing if it does not.</summary>
    /// <exception cref="LogTruncatedException">The log has been truncated above a part of it.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public unsafe ReadOnlySpan<byte> Gather(byte* record, ulong header, long address)
    {
        if (!LargeHead.IsIn(header)) return default;
        Guard.Enter();
        try
        {
            return LargeScan<TProbe>.Gather(Store.Epochs, Log, Storage, record, header, address);
        }
        finally
        {
            Guard.Leave();
        }
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
}
