using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster;

/// <summary>
/// The sessions of a store: the open ones, and the named ones that have ended or wait to be continued.
/// </summary>
/// <remarks>
/// Thread-safe, by a lock that no operation takes. Invariant: a name belongs to at most one open session; what a named
/// session has come to outlives it until it is forgotten.
/// </remarks>
internal sealed unsafe class SessionRegistry<TProbe>
    where TProbe : struct, IProbe
{
    private const int LongestName = 256;

    private readonly Lock _lock = new();
    private readonly HashSet<FasterSession<TProbe>> _open = [];
    private readonly Dictionary<string, FasterSession<TProbe>> _openByName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, EndedSession> _ended = new(StringComparer.Ordinal);
    private FasterSession<TProbe>[] _snapshot = [];
    private long _endedOperations;

    /// <summary>How many sessions are open.</summary>
    public int Count => Volatile.Read(ref _snapshot).Length;

    /// <summary>The open sessions.</summary>
    public FasterSession<TProbe>[] Open => Volatile.Read(ref _snapshot);

    /// <summary>Refuses a name that a commit's record could not hold.</summary>
    /// <exception cref="ArgumentException">It is empty or too long.</exception>
    public static void CheckName(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name.Length > LongestName)
            throw new ArgumentException($"A session's name has at most {LongestName} characters.", nameof(name));
    }

    /// <summary>Makes named sessions known that a recovery has found.</summary>
    public void Recover(IEnumerable<CommitPoint> points)
    {
        foreach (CommitPoint point in points)
        {
            _ended[point.SessionName!] = new EndedSession(point.SerialNumber, 0, 0, point, null);
            _endedOperations += point.SerialNumber;
        }
    }

    /// <summary>Opens a session.</summary>
    /// <param name="name">Its name, or null.</param>
    /// <param name="mustBeKnown">Whether the name must be that of an earlier session.</param>
    /// <param name="make">Makes the session.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or not known.</exception>
    public FasterSession<TProbe> Start(string? name, bool mustBeKnown, Func<FasterSession<TProbe>> make)
    {
        lock (_lock)
        {
            EndedSession? ended = null;
            if (name is not null)
            {
                if (_openByName.ContainsKey(name))
                {
                    throw new SessionMisuseException(
                        $"Session '{name}' is open already. Dispose of it first, or choose another name.");
                }

                if (!_ended.Remove(name, out ended) && mustBeKnown)
                {
                    throw new SessionMisuseException(
                        $"There is no session '{name}' to continue: none of that name was committed, or it was "
                        + "forgotten. Start it by StartSession.");
                }
            }

            FasterSession<TProbe> session = make();
            if (ended is not null)
            {
                session.ContinueFrom(ended.Serial, ended.Point, ended.PointVersion, ended.Pending);
                session.RecoveredPoint = ended.Committed ?? session.RecoveredPoint;
                _endedOperations -= ended.Serial;
            }

            _open.Add(session);
            if (name is not null) _openByName[name] = session;
            Volatile.Write(ref _snapshot, [.. _open]);
            return session;
        }
    }

    /// <summary>A session has ended.</summary>
    public void Close(FasterSession<TProbe> session, EpochSlot* slot)
    {
        lock (_lock)
        {
            if (!_open.Remove(session)) return;
            Volatile.Write(ref _snapshot, [.. _open]);
            _endedOperations += slot->Serial;
            if (session.Name is not { } name) return;
            _openByName.Remove(name);
            _ended[name] = new EndedSession(
                slot->Serial, slot->Point, slot->PointVersion, session.LastCommit,
                session.Pending.HasLate ? session.Pending : null);
        }
    }

    /// <summary>Forgets a named session: commits do not carry it any more.</summary>
    /// <returns>Whether it was known.</returns>
    /// <exception cref="SessionMisuseException">It is open.</exception>
    public bool Forget(string name)
    {
        lock (_lock)
        {
            if (_openByName.ContainsKey(name))
                throw new SessionMisuseException($"Session '{name}' is open. Dispose of it before it is forgotten.");
            return _ended.Remove(name);
        }
    }

    /// <summary>Whether a session is in the middle of several operations under one number.</summary>
    public bool AnyInUnit()
    {
        lock (_lock)
        {
            foreach (FasterSession<TProbe> session in _open)
                if (Volatile.Read(ref session.Slot->InUnit) != 0) return true;
            return false;
        }
    }

    /// <summary>The serial numbers of all sessions together: as long as it stays, nothing was done.</summary>
    public long OperationCount()
    {
        lock (_lock)
        {
            long sum = _endedOperations;
            foreach (FasterSession<TProbe> session in _open) sum += Volatile.Read(ref session.Slot->Serial);
            return sum;
        }
    }

    /// <summary>
    /// The commit points of all sessions in the commit of a version; everybody inside an epoch has noted its own.
    /// </summary>
    /// <param name="version">The version.</param>
    /// <param name="operations">The serial numbers of all points together.</param>
    /// <returns>The points; with its session if that is open.</returns>
    public List<(FasterSession<TProbe>? Session, CommitPoint Point)> Collect(long version, out long operations)
    {
        List<(FasterSession<TProbe>?, CommitPoint)> points = [];
        lock (_lock)
        {
            operations = _endedOperations;
            foreach (FasterSession<TProbe> session in _open)
            {
                long serial = PointOf(session.Slot, version);
                operations += serial;
                points.Add((session, new CommitPoint(session.Name, serial, version)
                {
                    Excluded = session.Pending.ExcludedFrom(version, serial),
                }));
            }

            foreach ((string name, EndedSession ended) in _ended)
            {
                long serial = ended.PointVersion == version ? ended.Point : ended.Serial;
                points.Add((null, new CommitPoint(name, serial, version)
                {
                    Excluded = ended.Pending?.ExcludedFrom(version, serial) ?? [],
                }));
            }
        }

        return points;
    }

    /// <summary>A commit has become durable: sessions that have ended are continued from it.</summary>
    public void OnCommitted(IEnumerable<CommitPoint> points)
    {
        lock (_lock)
        {
            foreach (CommitPoint point in points)
            {
                if (point.SessionName is { } name && _ended.TryGetValue(name, out EndedSession? ended))
                    _ended[name] = ended with { Committed = point };
            }
        }
    }

    // The session writes its point, then the point's version, then the next serial number: so read the other way round.
    internal static long PointOf(EpochSlot* slot, long version)
    {
        TProbe.Point(ProbePoint.CommitPhase);
        long serial = Volatile.Read(ref slot->Serial);
        TProbe.Point(ProbePoint.CommitPhase);
        bool noted = Volatile.Read(ref slot->PointVersion) == version && !TProbe.Has(SeededBug.PointIgnoresNote);
        return noted ? Volatile.Read(ref slot->Point) : serial;
    }

    /// <summary>What a named session without a holder has come to.</summary>
    private sealed record EndedSession(
        long Serial, long Point, long PointVersion, CommitPoint? Committed, PendingSet<TProbe>? Pending);
}
