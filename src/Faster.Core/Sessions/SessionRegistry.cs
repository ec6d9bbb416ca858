using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// The sessions of a store: the open ones, and the named ones that have ended or wait to be continued.
/// </summary>
/// <remarks>
/// <para>Thread-safe, by a lock that no operation takes. Invariants: a name belongs to at most one open session; what a
/// named session has come to outlives it until it is forgotten.</para>
/// <para>Whether anything was done since the last commit (<see cref="HasWork"/>): an open session's number tells, which
/// is its point in that commit or not. All else that a commit holds, what sessions that have ended did, names that came
/// and went, operations that a commit had left out, notes the version that operations belonged to at the time
/// (<see cref="NoteWork"/>): the commit of that version, or of a later one, holds it. (docs/COMMITS.md)</para>
/// </remarks>
internal sealed unsafe class SessionRegistry<TProbe> : ICommitSessions
    where TProbe : struct, IProbe
{
    private const int LongestName = 256;
    private const int ManyNames = MetadataKind.MostBytes / 2; // the rest is for numbers left out, and for all else

    private readonly Lock _lock = new();
    private readonly CommitState<TProbe> _commits;
    private readonly bool _tracks;
    private readonly HashSet<SessionEntry<TProbe>> _open = [];
    private readonly Dictionary<string, SessionEntry<TProbe>> _named = new(StringComparer.Ordinal);
    private readonly List<(SessionEntry<TProbe> Session, CommitPoint Point)> _collected = []; // by the last commit
    private SessionCore<TProbe>[]? _snapshot = [];
    private long _workedIn;     // the last version in which something was done that no open session's number tells
    private long _committed;    // the version of the last commit
    private long _nameBytes;    // what the named sessions take in a commit's record

    /// <summary>The sessions of a store that has no commit yet, which is work to do; or is about to recover one.
    /// </summary>
    public SessionRegistry(CommitState<TProbe> commits)
    {
        _commits = commits;
        _tracks = commits.Order == PendingOrder.Relaxed;
        _workedIn = commits.Current.OperationVersion;
    }

    /// <summary>
    /// How many bytes of a commit's record the named sessions may take; more are not started. Else only a commit would
    /// find out, after the operations that it is to hold, that its record is longer than readers accept.
    /// </summary>
    public long MostNameBytes { get; set; } = ManyNames;

    /// <summary>How many sessions are open.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _open.Count;
        }
    }

    /// <summary>The open sessions.</summary>
    public SessionCore<TProbe>[] Open
    {
        get
        {
            if (Volatile.Read(ref _snapshot) is { } snapshot) return snapshot;
            lock (_lock) return _snapshot ??= [.. _open.Select(static entry => entry.Holder!)];
        }
    }

    /// <summary>Whether there is something that the last commit does not hold.</summary>
    public bool HasWork
    {
        get
        {
            lock (_lock)
            {
                if (Volatile.Read(ref _workedIn) > _committed) return true;
                foreach (SessionEntry<TProbe> entry in _open)
                    if (IsAhead(entry, Volatile.Read(ref entry.Holder!.Slot->Serial))) return true;
                return false;
            }
        }
    }

    /// <summary>The open sessions, when every start that is under way has ended.</summary>
    public SessionCore<TProbe>[] OpenAfterStarts()
    {
        lock (_lock) return _snapshot ??= [.. _open.Select(static entry => entry.Holder!)];
    }

    /// <summary>Refuses a name that a commit's record could not hold.</summary>
    /// <exception cref="ArgumentException">It is empty or too long.</exception>
    public static void CheckName(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name.Length > LongestName)
            throw new ArgumentException($"A session's name has at most {LongestName} characters.", nameof(name));
    }

    /// <summary>Makes named sessions known that a recovery has found.</summary>
    /// <param name="version">The version of the commit.</param>
    /// <param name="points">Its points.</param>
    /// <param name="isNewest">Whether no later commit was passed over, which the next one has to replace.</param>
    public void Recover(long version, IEnumerable<CommitPoint> points, bool isNewest)
    {
        lock (_lock)
        {
            foreach (CommitPoint point in points)
            {
                SessionEntry<TProbe> entry = MakeEntry(point.SessionName);
                (entry.Serial, entry.Committed) = (point.SerialNumber, point);
                if (!TProbe.Has(SeededBug.RecoveryForgetsLeftOut)) entry.LeftOut.Owe(point.Excluded);
                _named[point.SessionName!] = entry;
                _nameBytes += CommitRecordFile.BytesOf(point.SessionName!);
            }

            _committed = version;
            if (isNewest) _workedIn = version;
        }
    }

    /// <summary>
    /// Something was done in a version, or is told now, that no open session's number tells. Takes no lock: it is
    /// called inside an epoch, too.
    /// </summary>
    public void NoteWork(long version)
    {
        long seen = Volatile.Read(ref _workedIn);
        while (seen < version)
        {
            long was = Interlocked.CompareExchange(ref _workedIn, version, seen);
            if (was == seen) return;
            seen = was;
        }
    }

    /// <summary>Opens a session.</summary>
    /// <param name="name">Its name, or null.</param>
    /// <param name="mustBeKnown">Whether the name must be that of an earlier session.</param>
    /// <param name="make">Makes the session, under the registry's lock.</param>
    /// <exception cref="SessionMisuseException">The name is in use, or not known.</exception>
    /// <exception cref="LimitExceededException">The named sessions would not fit into a commit's record.</exception>
    public TSession Start<TSession>(string? name, bool mustBeKnown, Func<SessionEntry<TProbe>, TSession> make)
        where TSession : SessionCore<TProbe>
    {
        lock (_lock)
        {
            SessionEntry<TProbe>? known = name is null ? null : _named.GetValueOrDefault(name);
            if (known is { Holder: not null })
            {
                throw new SessionMisuseException(
                    $"Session '{name}' is open already. Dispose of it first, or choose another name.");
            }

            if (known is null && mustBeKnown)
            {
                throw new SessionMisuseException(
                    $"There is no session '{name}' to continue: none of that name was committed, or it was "
                    + "forgotten. Start it by StartSession.");
            }

            if (known is null && name is not null && _nameBytes + CommitRecordFile.BytesOf(name) > MostNameBytes)
                throw TooMany(name);
            SessionEntry<TProbe> entry = known ?? MakeEntry(name);
            TSession session = make(entry);
            if (known is not null) entry.ContinueOn(session.Slot);
            entry.Holder = session;
            _open.Add(entry);
            Volatile.Write(ref _snapshot, null);
            if (known is not null || name is null) return session;
            _named.Add(name, entry);
            _nameBytes += CommitRecordFile.BytesOf(name);
            NoteWork(_commits.Current.OperationVersion);
            return session;
        }
    }

    /// <summary>A session has ended.</summary>
    public void Close(SessionCore<TProbe> session, EpochSlot* slot)
    {
        lock (_lock)
        {
            if (session.Entry is not { } entry || entry.Holder != session) return;
            _open.Remove(entry);
            Volatile.Write(ref _snapshot, null);
            (entry.Serial, entry.Point, entry.PointVersion) = (slot->Serial, slot->Point, slot->PointVersion);
            entry.Holder = null;
            // Its last operation belongs to this version or an earlier one, whatever point it has noted.
            if (IsAhead(entry, entry.Serial) && !TProbe.Has(SeededBug.EndedIsCommitted))
                NoteWork(_commits.Current.OperationVersion);
        }
    }

    /// <summary>Forgets a named session: commits do not carry it any more.</summary>
    /// <returns>Whether it was known.</returns>
    /// <exception cref="SessionMisuseException">It is open.</exception>
    public bool Forget(string name)
    {
        lock (_lock)
        {
            if (!_named.TryGetValue(name, out SessionEntry<TProbe>? entry)) return false;
            if (entry.Holder is not null)
                throw new SessionMisuseException($"Session '{name}' is open. Dispose of it before it is forgotten.");
            _named.Remove(name);
            _nameBytes -= CommitRecordFile.BytesOf(name);
            NoteWork(_commits.Current.OperationVersion);
            return true;
        }
    }

    /// <inheritdoc/>
    public (string? Name, long SerialNumber)? FindInUnit()
    {
        lock (_lock)
        {
            foreach (SessionEntry<TProbe> entry in _open)
                if (Volatile.Read(ref entry.Holder!.Slot->InUnit) != 0) return (entry.Name, entry.Holder.SerialNumber);
            return null;
        }
    }

    /// <inheritdoc/>
    public CommitPoint[] Collect(long version)
    {
        lock (_lock)
        {
            _collected.Clear();
            foreach (SessionEntry<TProbe> entry in _open)
                _collected.Add((entry, MakePoint(entry, PointOf(entry.Holder!.Slot, version), version)));
            foreach (SessionEntry<TProbe> entry in _named.Values)
            {
                if (entry.Holder is null) _collected.Add((entry, EndOf(entry, version)));
            }

            return [.. _collected.Select(static session => session.Point)];
        }
    }

    /// <summary>A session's point in a commit that it has asked for; it may have ended meanwhile.</summary>
    /// <param name="session">The session.</param>
    /// <param name="version">The version of the commit, which is durable.</param>
    public CommitPoint PointIn(SessionCore<TProbe> session, long version)
    {
        lock (_lock)
        {
            if (session.Entry is not { } entry || entry.Holder == session) return session.LastCommit;
            // Without a name it is in the commits that collected it while it was open. A later one has all that it did.
            return entry.Committed is { } point && point.Version >= version ? point : EndOf(entry, version);
        }
    }

    /// <summary>
    /// The commit whose points were collected last is durable: sessions are continued from its points, and those that
    /// are open hear of it, also one that has ended and gone on.
    /// </summary>
    /// <inheritdoc/>
    public void OnCommitted(long version, Action<Exception> onFault)
    {
        var open = new List<(SessionCore<TProbe> Session, CommitPoint Point)>(_collected.Count);
        lock (_lock)
        {
            _committed = version;
            foreach ((SessionEntry<TProbe> entry, CommitPoint point) in _collected)
            {
                entry.Committed = point;
                if (TProbe.Has(SeededBug.WentOnUntold) && entry.PointVersion == version) continue;
                if (entry.Holder is { } session) open.Add((session, point));
            }

            _collected.Clear();
        }

        foreach ((SessionCore<TProbe> session, CommitPoint point) in open)
        {
            try
            {
                session.Deliver(point);
            }
            catch (Exception e)
            {
                onFault(e);
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

    private static CommitPoint EndOf(SessionEntry<TProbe> entry, long version) =>
        MakePoint(entry, entry.PointVersion == version ? entry.Point : entry.Serial, version);

    private static CommitPoint MakePoint(SessionEntry<TProbe> entry, long serial, long version) =>
        new(entry.Name, serial, version) { Excluded = entry.LeftOut.From(version, serial) };

    private static bool IsAhead(SessionEntry<TProbe> entry, long serial) =>
        serial != (entry.Committed?.SerialNumber ?? 0);

    private LimitExceededException TooMany(string name) => new(
        $"Session '{name}' can't be started: {_named.Count:N0} named sessions take {_nameBytes:N0} bytes of each "
        + $"commit's record, of {MostNameBytes:N0} at most. Forget sessions that are not continued any more "
        + "(ForgetSession), or start this one without a name.");

    private SessionEntry<TProbe> MakeEntry(string? name) => new(name, new LeftOut(_tracks));
}
