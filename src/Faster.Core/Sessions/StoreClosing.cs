using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Threads;

namespace Faster.Sessions;

/// <summary>
/// Closes a store: first its sessions, each as soon as no call of it is under way, then its background work; then the
/// store makes its last commit; then its parts are closed, each regardless of errors of the others.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing is freed before every session has been claimed, so that no call is inside any more and none can enter
/// (<see cref="SessionGate"/>).</item>
/// <item>The last commit is made after the background work has ended, and before any part is closed.</item>
/// <item>Every part is closed once, whatever the others throw.</item>
/// </list>
/// <para>Thread-safe: a thread that calls while another one closes waits for the end.</para>
/// </remarks>
/// <param name="epochs">The store's epochs.</param>
/// <param name="registry">The store's sessions.</param>
/// <param name="timeout">How long to wait for calls under way.</param>
/// <param name="onFault">Called with exceptions of sessions and parts that are being closed.</param>
[SuppressMessage("Design", "CA1001", Justification = "The semaphore has no handle, and callers may still wait.")]
internal sealed class StoreClosing(
    EpochTable epochs, SessionRegistry registry, TimeSpan timeout, Action<Exception> onFault)
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(1);

    private readonly SemaphoreSlim _alone = new(1, 1);
    private volatile bool _begun;
    private bool _ended;

    /// <summary>Whether closing has begun: the store accepts no calls any more.</summary>
    public bool HasBegun => _begun;

    /// <summary>Refuses calls of a closed store, and calls from its own user functions.</summary>
    /// <exception cref="ObjectDisposedException">The store was closed.</exception>
    /// <exception cref="SessionMisuseException">The caller is a user function of the store.</exception>
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

    /// <summary>Starts a session of the store, unless closing has begun.</summary>
    /// <param name="name">The session's name, or null.</param>
    /// <param name="mustBeKnown">Whether the name must be that of an earlier session.</param>
    /// <param name="make">Makes the session, under the registry's lock.</param>
    /// <exception cref="SessionMisuseException">The name is in use, not known, or none.</exception>
    /// <exception cref="ObjectDisposedException">The store was closed.</exception>
    public TSession Start<TSession>(string? name, bool mustBeKnown, Func<SessionEntry, TSession> make)
        where TSession : SessionCore
    {
        ThrowIfUnusable();
        if (name is not null && !mustBeKnown) SessionRegistry.CheckName(name);
        return registry.Start(name, mustBeKnown, entry =>
        {
            // Runs under the registry's lock, which closing takes after it has begun.
            ClosedStore.ThrowIf(_begun);
            return make(entry);
        });
    }

    /// <summary>
    /// Starts an unnamed session of what one that has ended has left; null if there is none, or closing has begun.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The store was closed.</exception>
    /// <exception cref="SessionMisuseException">The caller is a user function of the store.</exception>
    public SessionCore? TryRenew()
    {
        ThrowIfUnusable();
        return registry.TryRenew();
    }

    /// <summary>Closes the sessions, ends the background work, commits, and closes the parts.</summary>
    /// <param name="blocks">Whether to block instead of awaiting.</param>
    /// <param name="background">End one kind of background work each, in this order; exceptions are reported.</param>
    /// <param name="commit">
    /// Makes the last commit; returns what is thrown when everything is closed, or null. Null: no store that commits.
    /// </param>
    /// <param name="parts">Close one part each, in this order; exceptions are reported.</param>
    /// <exception cref="SessionMisuseException">
    /// A call was under way for all of the options' CloseTimeout. Nothing was freed.
    /// </exception>
    /// <exception cref="StorageException">The last commit has failed. The store is closed.</exception>
    public async Task RunAsync(
        bool blocks, IEnumerable<Action>? background = null, Func<Task<StorageException?>>? commit = null,
        IEnumerable<Action>? parts = null)
    {
        ThrowIfInside();
        if (blocks) _alone.Wait();
        else await _alone.WaitAsync().Here();
        try
        {
            if (_ended) return;
            _begun = true;
            await CloseSessionsAsync(blocks).Here();
            _ended = true;
            if (blocks) CloseAll(background ?? []);
            else await BackgroundTasks.Run(() => CloseAll(background ?? [])).Here(); // may wait for a commit under way
            StorageException? failure = commit is null ? null : await CommitAsync(blocks, commit).Here();
            CloseAll(parts ?? []);
            if (failure is not null) throw failure;
        }
        finally
        {
            _alone.Release();
        }
    }

    /// <summary>
    /// Runs the trigger actions that wait for an epoch; a call that came too late may have delayed them for a moment.
    /// </summary>
    /// <returns>Whether no action is left, so that no thread that leaves its epoch will run one.</returns>
    public bool TryDrain()
    {
        var stall = new WaitClock(timeout);
        for (Task safe = epochs.SafeAsync(); ; Thread.Yield())
        {
            epochs.Drain();
            if (safe.IsCompleted && epochs.PendingActions == 0) return true;
            if (stall.IsOver)
            {
                onFault(new FasterException(
                    $"{epochs.LongestHolder(out _) ?? "Something"} is inside an epoch of the store that was "
                    + "closed. Its memory is not freed."));
                return false;
            }
        }
    }

    /// <summary>Closes parts, each regardless of errors of the others.</summary>
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

    private async ValueTask<StorageException?> CommitAsync(bool blocks, Func<Task<StorageException?>> commit)
    {
        try
        {
            Task<StorageException?> running = BackgroundTasks.Run(commit);
            return blocks ? running.GetAwaiter().GetResult() : await running.Here();
        }
        catch (Exception e)
        {
            onFault(e);
            return null;
        }
    }

    private async ValueTask CloseSessionsAsync(bool blocks)
    {
        SessionCore[] sessions = registry.OpenAfterStarts();
        foreach (SessionCore session in sessions) session.Gate.Shut();
        var stall = new WaitClock(timeout);
        foreach (SessionCore session in sessions)
        {
            while (!session.TryClaim(out _))
            {
                if (session.Gate.IsEnded) break; // by its holder
                if (stall.IsOver) throw Held(session);
                epochs.Drain();
                if (blocks) Thread.Sleep(Look);
                else await Task.Delay(Look).Here();
            }

            if (session.Gate.IsEnded) continue;
            try
            {
                if (blocks) session.End();
                else await session.EndAsync().Here();
            }
            catch (Exception e)
            {
                onFault(e); // a pending operation failed: its session is closed nevertheless
            }
        }

        foreach (SessionCore session in sessions)
            Invariant.Check(session.Gate.IsClaimed, $"{session.Gate.Owner} is claimed before anything is freed");
    }

    private SessionMisuseException Held(SessionCore session) => new(
        $"The store can't be closed: a call of {session.Gate.Owner} has been under way for all of the "
        + $"{timeout.TotalSeconds:0.###} s of the options' CloseTimeout. Its user function may be "
        + "blocking, or it waits for the storage. Nothing was freed; sessions accept no calls; dispose of the store "
        + "again when the call has returned.");
}
