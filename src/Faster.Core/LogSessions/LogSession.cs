using System.ComponentModel;
using Faster.Expiry;
using Faster.LogSessions.Pending;
using Faster.Operations.Journaling;
using Faster.Sessions;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.LogSessions;

/// <summary>
/// A session of an engine whose records lie in logs: its operations may wait for the disk, and are continued by the
/// session's owner or by an I/O thread.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class LogSession : CommittingSession, ISession
{
    private const long MostUnknown = 1 << 16;

    private protected LogSession(LogStoreCore core, string? name, SessionEntry? entry)
        : base(core.Epochs, name, entry)
    {
        Core = core;
        Identity = core.Journal?.Register(entry is null ? null : name);
        // The store's own sessions would fill any number: compactions allocate no more operations than are kept.
        int most = core.Options.MaxPendingPerSession;
        Pending = new PendingSet(
            entry?.ExcludedSerials ?? new ExcludedSerials(tracks: false),
            entry is null ? Math.Min(most, core.MemoryPlan.IdleOperations) : most, core.Tiers[0], core.PendingMemory);
    }

    /// <summary>The number of pending operations: those that wait for the disk, for space, or for a latch.</summary>
    public int PendingCount
    {
        get
        {
            int count = Pending.Count;
            return Gate.IsEnded ? 0 : count;
        }
    }

    internal LogStoreCore Core { get; }
    internal sealed override SessionRegistry Registry => Core.Sessions;
    internal PendingSet Pending { get; }

    /// <summary>The session as the operation logs know it; null where there are none.</summary>
    internal JournalSession? Identity { get; private set; }

    /// <summary>The time to live of records that the session writes.</summary>
    internal abstract Lifetime Life { get; }

    /// <summary>The runner of the session's operations in one tier.</summary>
    internal abstract OperationRunner RunnerOf(Tier tier);

    /// <summary>
    /// Continues the pending operations whose records have been read, and calls their completion callbacks.
    /// </summary>
    /// <param name="wait">Whether to block until none is pending.</param>
    /// <returns>Whether none is pending.</returns>
    /// <exception cref="FasterException">
    /// An operation that no caller awaits has failed. The others have continued.
    /// </exception>
    /// <exception cref="AggregateException">Several have.</exception>
    public bool CompletePending(bool wait)
    {
        using SessionGate.Call call = BeginCall();
        if (wait) Pending.CompleteDownTo(0, this);
        else Pending.ContinueReady(this);
        Pending.ThrowErrors();
        return PendingCount == 0;
    }

    /// <summary>As <see cref="CompletePending"/> with <c>wait: true</c>, without blocking.</summary>
    /// <param name="cancellationToken">Ends the waiting; the operations stay pending.</param>
    public async ValueTask CompletePendingAsync(CancellationToken cancellationToken = default)
    {
        await Pending.CompleteAsync(this, isClosed: false, cancellationToken).Here();
    }

    private protected override bool IsStoreClosing => Core.Closing.HasBegun;

    private protected override void CompleteAll()
    {
        Pending.CompleteDownTo(0, this);
        Pending.ThrowErrors();
    }

    private protected override async ValueTask CompleteAllAsync()
    {
        await Pending.CompleteAsync(this, isClosed: true, default).Here();
        Pending.ThrowErrors();
    }

    // A recovery can't tell the numbers that were jumped over from those that are lost.
    private protected override void OnJump(long serialNumber)
    {
        if (Core.Journal is not { IsOn: true } journal || Identity?.Name is null || Serials.Unit != 0) return;
        if (serialNumber - Identity.OldestOpen(serialNumber) <= MostUnknown) return;
        Pending.CompleteDownTo(0, this);
        journal.Logs.Wait(journal.Logs.TakeTicket());
        Identity.RaiseFloor(serialNumber);
    }

    private protected override void ReleaseEngine()
    {
        base.ReleaseEngine();
        Pending.Close();
    }

    private protected override bool TryLetGo()
    {
        if (!base.TryLetGo() || !Pending.IsIdle) return false;
        Pending.Trim();
        return true;
    }

    private protected override void BeginAnew()
    {
        base.BeginAnew();
        Identity = Core.Journal?.Register(null);
        Pending.Serve(Entry!.ExcludedSerials);
    }
}
