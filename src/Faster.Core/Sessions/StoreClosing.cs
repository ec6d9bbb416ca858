using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// How a store is closed: first its sessions, each when no call of it is under way any more, then its parts, each
/// whatever becomes of the others.
/// </summary>
/// <remarks>
/// Invariant: nothing is freed before every session has been claimed, so that no call is inside any more and none comes
/// in (<see cref="SessionGate{TProbe}"/>). Thread-safe: who comes while another thread closes waits for its end.
/// </remarks>
/// <param name="epochs">The store's epochs.</param>
/// <param name="registry">Its sessions.</param>
/// <param name="timeout">How long calls that are under way are waited for.</param>
/// <param name="onFault">Is told what a session or a part throws while it is closed.</param>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no handle, and callers may still wait.")]
internal sealed class StoreClosing<TProbe>(
    EpochTable<TProbe> epochs, SessionRegistry<TProbe> registry, TimeSpan timeout, Action<Exception> onFault)
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(1);

    private readonly SemaphoreSlim _alone = new(1, 1);
    private volatile bool _begun;
    private bool _ended;

    /// <summary>Whether the store takes no calls any more.</summary>
    public bool HasBegun => _begun;

    /// <summary>Refuses calls of a store that was closed, and of its own user functions.</summary>
    /// <exception cref="ObjectDisposedException">The store was closed.</exception>
    /// <exception cref="SessionMisuseException">A user function of the store calls.</exception>
    public void ThrowIfUnusable()
    {
        ClosedStore.ThrowIf(_begun);
        ThrowIfInside();
    }

    /// <inheritdoc cref="ThrowIfUnusable"/>
    public void ThrowIfInside()
    {
        if (UserCode.IsInside(UserCode.MarkOf(epochs))) SessionMisuse.ThrowReentry(null);
    }

    /// <summary>Closes the sessions, and then the parts.</summary>
    /// <param name="blocks">Whether to block instead of to await.</param>
    /// <param name="parts">Closes one part each, in order; what they throw is noted.</param>
    /// <exception cref="SessionMisuseException">
    /// A call was under way for all of <see cref="StoreOptions.CloseTimeout"/>: nothing was freed.
    /// </exception>
    public async Task RunAsync(bool blocks, IEnumerable<Action> parts)
    {
        ThrowIfInside();
        if (blocks) _alone.Wait();
        else await _alone.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_ended) return;
            _begun = true;
            await CloseSessionsAsync(blocks).ConfigureAwait(false);
            _ended = true;
            CloseAll(parts);
        }
        finally
        {
            _alone.Release();
        }
    }

    /// <summary>
    /// Runs what waits for an epoch to end: a call that has come too late may have held it up for a moment.
    /// </summary>
    /// <returns>Whether nothing waits any more, so that no leaver will run anything.</returns>
    public bool TryDrain()
    {
        var patience = new WaitClock(timeout);
        for (Task safe = epochs.SafeAsync(); ; Thread.Yield())
        {
            epochs.Drain();
            if (safe.IsCompleted && epochs.PendingActions == 0) return true;
            if (patience.IsOver)
            {
                onFault(new FasterException(
                    $"{epochs.LongestHolder(out _) ?? "Something"} is inside an epoch of the store that was "
                    + "closed. Its memory is not freed."));
                return false;
            }
        }
    }

    /// <summary>Closes parts, each whatever becomes of the others.</summary>
    public void CloseAll(IEnumerable<Action> parts)
    {
        foreach (Action part in parts)
        {
            try
            {
                part();
            }
            catch (Exception e)
            {
                onFault(e);
            }
        }
    }

    private async ValueTask CloseSessionsAsync(bool blocks)
    {
        SessionCore<TProbe>[] sessions = registry.OpenAfterStarts();
        foreach (SessionCore<TProbe> session in sessions) session.Gate.Shut();
        var patience = new WaitClock(timeout);
        foreach (SessionCore<TProbe> session in sessions)
        {
            while (!session.Gate.TryClaim(out _))
            {
                if (session.Gate.IsEnded) break; // by its holder
                if (patience.IsOver) throw Held(session);
                epochs.Drain();
                if (blocks) Thread.Sleep(Look);
                else await Task.Delay(Look).ConfigureAwait(false);
            }

            if (session.Gate.IsEnded) continue;
            try
            {
                if (blocks) session.End();
                else await session.EndAsync().ConfigureAwait(false);
            }
            catch (Exception e)
            {
                onFault(e); // a pending operation failed: its session is closed all the same
            }
        }
    }

    private SessionMisuseException Held(SessionCore<TProbe> session) => new(
        $"The store can't be closed: a call of {session.Gate.Owner} has been under way for all of the "
        + $"{timeout.TotalSeconds:0.###} s of StoreOptions.CloseTimeout. Its user function may be "
        + "blocking, or it waits for the storage. Nothing was freed, sessions take no more calls; dispose of the store "
        + "again when the call has returned.");
}
