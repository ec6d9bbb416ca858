using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Large;
using Faster.Tiers;

namespace Faster.Analytics;

/// <summary>The components of a store that readers of its whole log share.</summary>
/// <param name="Tier">The log's tier.</param>
/// <param name="Catalog">The commits that have captured the log; null without a folder.</param>
/// <param name="Name">The name of the log in commits.</param>
internal sealed record LogSource(Tier Tier, CommitCatalog? Catalog, string Name = CommittedLog.Main)
{
    /// <summary>What the tier shares with the others of its store.</summary>
    public StoreCore Core => Tier.Core;

    /// <summary>The shape of the records.</summary>
    public RecordSchema Schema => Tier.Schema;

    /// <summary>The log that scans read, with its pages in memory.</summary>
    public PagedLog Log => Tier.PagedLog!;

    /// <summary>Where the log lies on the device.</summary>
    public LogStorage Storage => Tier.Storage!;

    /// <summary>Keeps the store's memory and device open while they are read.</summary>
    public ReaderGuard Guard { get; } = new();

    /// <summary>The commits whose states can be reconstructed.</summary>
    public CommitLogRanges Commits { get; } = CommitLogRanges.Of(Catalog, Name);

    /// <summary>Makes the view of a record, with its value in one piece.</summary>
    /// <param name="record">The record.</param>
    /// <param name="header">The record's header.</param>
    /// <param name="address">The record's address.</param>
    /// <param name="now">The time at which its expiry is checked, in Unix milliseconds.</param>
    /// <param name="pin">Keeps the log on the device from its address on; null: the value is pinned meanwhile.</param>
    /// <param name="view">The record.</param>
    /// <returns>
    /// False if the log has been truncated above a fragment of the value; never if all of it lies above a pin.
    /// </returns>
    /// <remarks>
    /// A large value is gathered by this call into memory of its own, unless it has expired: its fragments may have
    /// been truncated.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public unsafe bool TryView(
        byte* record, ulong header, long address, long now, LogPins.Pin? pin, out RecordView view)
    {
        view = RecordViews.Of(Log.Layout, record, header, address, now);
        if (view.IsTombstone || !LargeHead.IsIn(header)) return true;
        if (TryGather(record, address, pin) is not { } value) return false;
        view = RecordViews.Of(Log.Layout, record, header, address, now, value);
        return true;
    }

    /// <summary>Shifts the log's read-only address to its tail.</summary>
    /// <returns>The address below which the log will become immutable.</returns>
    public long ShiftReadOnlyToTail()
    {
        Guard.Enter();
        try
        {
            return Log.ShiftReadOnlyToTail();
        }
        finally
        {
            Guard.Leave();
        }
    }

    /// <summary>Waits until everything below an address is immutable.</summary>
    /// <exception cref="ObjectDisposedException">The store was closed.</exception>
    public async Task ImmutableAsync(long end, CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, Guard.Closing);
        try
        {
            await Log.Gate.WaitForAsync(() => Log.SafeImmutableAddress >= end, ending.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            ClosedStore.ThrowIf(true);
        }
    }

    /// <summary>Adds a commit that has become durable.</summary>
    public void OnCommitted(Commit commit, CommitRecord record) =>
        Commits.Add(CommitLogRange.Of(commit, record, Name));

    /// <summary>Ends scans and subscriptions, because the store is closed.</summary>
    public void Close()
    {
        Guard.Close();
        Commits.Close();
    }

    private unsafe byte[]? TryGather(byte* record, long address, LogPins.Pin? pin)
    {
        Guard.Enter();
        try
        {
            using var scan = new LargeScan(Core.Epochs, Log, Storage);
            return scan.TryMoveTo(Log.Layout.Value(record), address, pin) ? scan.ToArray() : null;
        }
        finally
        {
            Guard.Leave();
        }
    }
}
