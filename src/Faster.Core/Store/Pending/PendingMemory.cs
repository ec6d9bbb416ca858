using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// The store's one budget for what waits for the disk: a count of the bytes of all operations under way, and shares for
/// the records and values among them that are larger than <see cref="Log.LogReader.SmallBuffer"/>.
/// </summary>
/// <remarks>
/// <para><b>No deadlock.</b> An operation asks for a share before it reads, and holds none while it waits for one; nor
/// does it hold one while it waits for another operation (<see cref="PendingOperation{TProbe}.Wait"/>). A holder whose
/// end is certain (<see cref="IsCertain"/>) ends by what the store's own thread or its waiting owner does, neither of
/// which waits for a share. Other holders may stay for as long as their sessions are idle. So they get at most half of
/// the bytes, and if no holder's end is certain the first that waits gets its share beyond the limit: one at a time. A
/// commit waits for all pending operations of its version; in that phase the store continues all of them, so that every
/// holder's end is certain, and what idle sessions wait for is asked for on their behalf. When the phase passes,
/// holders are idle again: then the first that waits is looked at once more (<see cref="OnPhase"/>).</para>
/// <para>The count of bytes under way bars nobody from a first operation: a session waits for its own alone.</para>
/// <para>Invariant: the shares held never exceed the limit by more than one share, but for what
/// <see cref="Grow"/> adds. Thread-safe: one short lock, which small records never take.</para>
/// </remarks>
/// <param name="commits">Knows whether the store continues what idle sessions have left.</param>
/// <param name="limit">The most bytes of all shares.</param>
/// <param name="smallLimit">The bytes under way from which on sessions go on with fewer operations at once.</param>
/// <param name="retained">How many operations of a kind are kept for their next use.</param>
internal sealed class PendingMemory<TProbe>(
    Commits.CommitState<TProbe> commits, long limit, long smallLimit, int retained)
    where TProbe : struct, IProbe
{
    /// <summary>What an operation that waits takes besides its key and what it reads, in bytes: its objects.</summary>
    public const int OperationBytes = 512;

    private readonly Lock _lock = new();
    private readonly Queue<PendingOperation<TProbe>> _waiting = new();
    private long _certain; // held by those whose end is certain, whatever a commit does
    private long _idle;    // held by all others
    private int _unclaimed;
    private long _small;

    /// <summary>The operations that are not in use.</summary>
    public PendingPools Pools { get; } = new(retained);

    /// <summary>The most bytes of all shares together.</summary>
    public long Limit => limit;

    /// <summary>Whether a session that has operations under way should end some before it begins others.</summary>
    public bool IsFull => Volatile.Read(ref _small) >= smallLimit;

    /// <summary>The bytes of all operations under way, shares aside.</summary>
    public long SmallBytes => Volatile.Read(ref _small);

    /// <summary>The bytes of all shares.</summary>
    public long SharedBytes
    {
        get
        {
            lock (_lock) return _certain + _idle;
        }
    }

    /// <summary>
    /// Whether all shares lie within the limit, so that buffers of the reader may be kept for them.
    /// </summary>
    public bool IsWithinLimit => SharedBytes <= limit;

    /// <summary>How many operations wait for their share.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock) return _waiting.Count + _unclaimed;
        }
    }

    /// <summary>Counts the bytes of an operation under way, or counts them no more.</summary>
    public void Count(long bytes) => Interlocked.Add(ref _small, bytes);

    /// <summary>
    /// Takes a share. If there is none, <see cref="PendingOperation{TProbe}.OnShared"/> is called when there is.
    /// </summary>
    /// <param name="operation">The operation, which holds none.</param>
    /// <param name="bytes">The share.</param>
    public bool TryTake(PendingOperation<TProbe> operation, long bytes)
    {
        lock (_lock)
        {
            operation.Share = (0, bytes);
            bool isCertain = IsCertain(operation);
            bool fits = isCertain
                ? _waiting.Count == 0 && Fits(bytes)
                : _certain + _idle + bytes <= limit / 2;
            if (fits) Grant(operation);
            else if (isCertain) _waiting.Enqueue(operation);
            else PutOff(operation);
            return fits;
        }
    }

    /// <summary>Enlarges the share of an operation that can't wait for it now.</summary>
    public void Grow(PendingOperation<TProbe> operation, long bytes)
    {
        lock (_lock)
        {
            operation.Share = (operation.Share.Held + bytes, 0);
            Move(operation, bytes);
        }
    }

    /// <summary>Gives an operation's share back, if it has one, to whoever waits.</summary>
    public void Return(PendingOperation<TProbe> operation)
    {
        if (operation.Share.Held == 0) return;
        lock (_lock) Drop(operation);
        ServeWaiting();
    }

    /// <summary>A session's owner waits for its operations, and continues them: their end is certain.</summary>
    public void BeginWait(PendingSet<TProbe> session)
    {
        lock (_lock)
        {
            session.IsWaitedFor = true;
            _idle -= session.SharedBytes;
            _certain += session.SharedBytes;
            Claim(session);
        }

        ServeWaiting();
    }

    /// <summary>The owner does something else.</summary>
    public void EndWait(PendingSet<TProbe> session)
    {
        lock (_lock)
        {
            session.IsWaitedFor = false;
            _certain -= session.SharedBytes;
            _idle += session.SharedBytes;
        }

        ServeWaiting();
    }

    /// <summary>
    /// The store continues the operations of all sessions: asks for what those need whose owners are idle.
    /// </summary>
    public void ClaimAll(IReadOnlyList<SessionCore<TProbe>> sessions)
    {
        lock (_lock)
        {
            if (_unclaimed == 0) return;
            foreach (SessionCore<TProbe> session in sessions) Claim(session.Pending);
        }

        ServeWaiting();
    }

    /// <summary>
    /// A commit has come to another phase: serves whoever did not fit in beside holders whose end was certain before.
    /// </summary>
    public void OnPhase() => ServeWaiting();

    private bool IsCertain(PendingOperation<TProbe> operation) =>
        operation.IsAwaited || operation.Session.Pending.IsWaitedFor || commits.CollectsPending;

    private bool Fits(long bytes)
    {
        long certain = commits.CollectsPending ? _certain + _idle : _certain;
        return certain == 0 || _certain + _idle + bytes <= limit;
    }

    // Its session is idle: it asks again when its owner waits.
    private void PutOff(PendingOperation<TProbe> operation)
    {
        operation.Session.Pending.Unclaimed.Enqueue(operation);
        _unclaimed++;
    }

    private void Claim(PendingSet<TProbe> session)
    {
        while (session.Unclaimed.TryDequeue(out PendingOperation<TProbe>? operation))
        {
            _unclaimed--;
            _waiting.Enqueue(operation);
        }
    }

    private void Grant(PendingOperation<TProbe> operation)
    {
        operation.Share = (operation.Share.Asked, 0);
        Move(operation, operation.Share.Held);
    }

    private void Drop(PendingOperation<TProbe> operation)
    {
        Move(operation, -operation.Share.Held);
        operation.Share = default;
    }

    private void Move(PendingOperation<TProbe> operation, long bytes)
    {
        PendingSet<TProbe> session = operation.Session.Pending;
        if (!operation.IsAwaited) session.SharedBytes += bytes;
        if (operation.IsAwaited || session.IsWaitedFor) _certain += bytes;
        else _idle += bytes;
    }

    // Told outside the lock: it reads.
    private void ServeWaiting()
    {
        while (TryServe(out PendingOperation<TProbe>? operation)) operation.OnShared();
    }

    private bool TryServe([NotNullWhen(true)] out PendingOperation<TProbe>? operation)
    {
        lock (_lock)
        {
            while (_waiting.TryPeek(out operation))
            {
                bool isCertain = IsCertain(operation);
                if (isCertain && !Fits(operation.Share.Asked)) return false;
                _waiting.Dequeue();
                if (!isCertain)
                {
                    PutOff(operation); // its owner has gone meanwhile
                    continue;
                }

                Grant(operation);
                return true;
            }

            return false;
        }
    }
}
