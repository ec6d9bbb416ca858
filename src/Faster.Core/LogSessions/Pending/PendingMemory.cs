using System.Diagnostics.CodeAnalysis;
using Faster.Commits;
using Faster.Log.Reads;
using Faster.Sessions;

namespace Faster.LogSessions.Pending;

/// <summary>
/// The store's one budget for operations that wait for the disk: a count of the bytes of all operations in flight, and
/// shares for those of their records and values that are larger than <see cref="LogReader.SmallBuffer"/>.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The shares held never exceed the limit by more than one share, except for what <see cref="Grow"/> adds.</item>
/// <item>An operation holds no share while it waits for one, or for another operation.</item>
/// <item>A session's first operation is never blocked by the count of bytes in flight.</item>
/// </list>
/// <para><b>No deadlock.</b> An operation requests a share before it reads, and holds none while it waits for one; nor
/// does it hold one while it waits for another operation (<see cref="PendingOperation.StartWaiting"/>). A
/// holder that is certain to end (<see cref="IsCertain"/>) ends through the store's own thread or its waiting owner,
/// neither of which waits for a share. Other holders may stay for as long as their sessions are idle. So they get at
/// most half of the bytes, and if no holder is certain to end, the first operation in the queue gets its share beyond
/// the limit: one at a time. A commit waits for all pending operations of its version; in that phase the store
/// continues all of them, so that every holder is certain to end, and requests the shares that idle sessions'
/// operations lack. When the phase passes, those holders are idle again: then the queue is served once more
/// (<see cref="OnPhase"/>).</para>
/// <para>The count of bytes in flight never blocks a session's first operation: a session waits for its own operations
/// only.</para>
/// <para>Thread-safe: one short lock, which small records never take.</para>
/// </remarks>
/// <param name="commits">Tells whether the store continues the operations of idle sessions.</param>
/// <param name="limit">The maximum bytes of all shares.</param>
/// <param name="smallLimit">The bytes in flight from which on sessions run fewer operations at once.</param>
/// <param name="retained">The number of operations of a kind that are kept for reuse.</param>
internal sealed class PendingMemory(CommitState commits, long limit, long smallLimit, int retained)
{
    /// <summary>
    /// The estimated size in bytes of a waiting operation's objects, without its key and what it reads.
    /// </summary>
    public const int OperationBytes = 512;

    private readonly Lock _lock = new();
    private readonly Queue<PendingOperation> _waiting = new();
    private long _certain; // bytes held by operations certain to end
    private long _idle;    // bytes held by all others
    private int _unclaimed;
    private long _small;

    /// <summary>The pools of operations that are not in use.</summary>
    public PendingPools Pools { get; } = new(retained);

    /// <summary>The maximum bytes of all shares together.</summary>
    public long Limit => limit;

    /// <summary>Whether a session with operations in flight should end some before it begins others.</summary>
    public bool IsFull => Volatile.Read(ref _small) >= smallLimit;

    /// <summary>The bytes of all operations in flight, without shares.</summary>
    public long SmallBytes => Volatile.Read(ref _small);

    /// <summary>The bytes of all shares held.</summary>
    public long SharedBytes
    {
        get
        {
            lock (_lock) return _certain + _idle;
        }
    }

    /// <summary>
    /// Whether all shares lie within the limit, so that the reader's buffers may be kept for results.
    /// </summary>
    public bool IsWithinLimit => SharedBytes <= limit;

    /// <summary>The number of operations that wait for their share.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock) return _waiting.Count + _unclaimed;
        }
    }

    /// <summary>Adds the bytes of an operation in flight, or subtracts them if negative.</summary>
    public void Count(long bytes) => Interlocked.Add(ref _small, bytes);

    /// <summary>
    /// Takes a share. If none is free, <see cref="PendingOperation.OnShared"/> is called when one is.
    /// </summary>
    /// <param name="operation">The operation, which holds no share.</param>
    /// <param name="bytes">The share's size.</param>
    public bool TryTake(PendingOperation operation, long bytes)
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

    /// <summary>Enlarges the share of an operation that can't wait for it, beyond the limit if necessary.</summary>
    public void Grow(PendingOperation operation, long bytes)
    {
        lock (_lock)
        {
            operation.Share = (operation.Share.Held + bytes, 0);
            Move(operation, bytes);
        }
    }

    /// <summary>Returns an operation's share, if it has one, and serves the operations that wait.</summary>
    public void Return(PendingOperation operation)
    {
        if (operation.Share.Held == 0) return;
        lock (_lock) Drop(operation);
        ServeWaiting();
    }

    /// <summary>
    /// Notes that a session's owner waits for its operations and continues them: they are certain to end.
    /// </summary>
    public void BeginWait(PendingSet session)
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

    /// <summary>Notes that a session's owner no longer waits for its operations.</summary>
    public void EndWait(PendingSet session)
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
    /// Requests the shares that the operations of idle sessions lack, because the store now continues all operations.
    /// </summary>
    public void ClaimAll(IReadOnlyList<SessionCore> sessions)
    {
        lock (_lock)
        {
            if (_unclaimed == 0) return;
            foreach (SessionCore session in sessions)
            {
                if (session is LogSession waiting) Claim(waiting.Pending);
            }
        }

        ServeWaiting();
    }

    /// <summary>
    /// Serves the operations that wait after a commit has changed its phase, and with it which holders are certain to
    /// end.
    /// </summary>
    public void OnPhase() => ServeWaiting();

    private bool IsCertain(PendingOperation operation) =>
        operation.IsAwaited || operation.Session.Pending.IsWaitedFor || commits.CollectsPending;

    private bool Fits(long bytes)
    {
        long certain = commits.CollectsPending ? _certain + _idle : _certain;
        return certain == 0 || _certain + _idle + bytes <= limit;
    }

    // Its session is idle: the share is requested again when the owner waits.
    private void PutOff(PendingOperation operation)
    {
        operation.Session.Pending.Unclaimed.Enqueue(operation);
        _unclaimed++;
    }

    private void Claim(PendingSet session)
    {
        while (session.Unclaimed.TryDequeue(out PendingOperation? operation))
        {
            _unclaimed--;
            _waiting.Enqueue(operation);
        }
    }

    private void Grant(PendingOperation operation)
    {
        operation.Share = (operation.Share.Asked, 0);
        Move(operation, operation.Share.Held);
    }

    private void Drop(PendingOperation operation)
    {
        Move(operation, -operation.Share.Held);
        operation.Share = default;
    }

    private void Move(PendingOperation operation, long bytes)
    {
        PendingSet session = operation.Session.Pending;
        if (!operation.IsAwaited) session.SharedBytes += bytes;
        if (operation.IsAwaited || session.IsWaitedFor) _certain += bytes;
        else _idle += bytes;
    }

    // Outside the lock: OnShared starts a read.
    private void ServeWaiting()
    {
        while (TryServe(out PendingOperation? operation)) operation.OnShared();
    }

    private bool TryServe([NotNullWhen(true)] out PendingOperation? operation)
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
                    PutOff(operation); // its owner no longer waits
                    continue;
                }

                Grant(operation);
                return true;
            }

            return false;
        }
    }
}
