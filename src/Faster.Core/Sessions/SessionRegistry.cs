using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Commits;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Probes;
using Faster.Threads;

namespace Faster.Sessions;

/// <summary>
/// The sessions of a store: the open ones, and the named ones that have ended or have not been continued yet.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A name belongs to at most one open session.</item>
/// <item>The state of a named session outlives it until it is forgotten.</item>
/// <item>The named sessions fit a commit record.</item>
/// <item>Commits become durable in the order of their versions; each delivers the points that it has collected.</item>
/// </list>
/// <para>Thread-safe, by a lock that no operation takes.</para>
/// <para>Whether anything was done since the last commit (<see cref="HasWork"/>): the serial number of an open session
/// shows it, because it is the session's point in that commit or not. For all else that a commit holds (what ended
/// sessions did, names that were added or forgotten, operations that a commit had excluded), the version that
/// operations belonged to at the time is recorded (<see cref="NoteWork"/>): the commit of that version, or of a later
/// one, holds it (docs/internals/commits.md).</para>
/// </remarks>
internal sealed unsafe class SessionRegistry : ICommitSessions
{
    private const int LongestName = 256;
    private const int ManyNames = MetadataKind.MaxBytes / 2; // the rest is for excluded numbers, and for all else

    private readonly Lock _lock = new();
    private readonly CommitState _commits;
    private readonly bool _tracks;
    private readonly HashSet<SessionEntry> _open = [];
    private readonly Dictionary<string, SessionEntry> _named = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _forgotten = []; // and in which version, until a commit holds it
    private readonly List<(SessionEntry Session, CommitPoint Point)> _collected = []; // by the last commit
    private readonly EndedSessions _ended = new();
    private readonly Func<string?, SessionEntry> _makeEntry;
    private SessionCore[]? _snapshot = [];
    private FailedUnit? _failedUnit;
    private long _workedIn;     // the last version with work that no open session's number shows
    private long _committed;    // the version of the last commit
    private long _nameBytes;    // what the named sessions take in a commit record

    /// <summary>Makes the registry of a store that never commits.</summary>
    public SessionRegistry()
        : this(new CommitState(version: 1, PendingOrder.Relaxed, stripes: 1))
    {
    }

    /// <summary>
    /// Makes the registry of a store that has no commit yet, which counts as work, or that will recover one.
    /// </summary>
    public SessionRegistry(CommitState commits)
    {
        _commits = commits;
        _tracks = commits.Order == PendingOrder.Relaxed;
        _workedIn = commits.Current.OperationVersion;
        _makeEntry = MakeEntry;
    }

    /// <summary>
    /// The most bytes of a commit record that named sessions may take; no more can be started. Without the limit, only
    /// a commit would find that its record is longer than readers accept, after the operations that it should hold.
    /// </summary>
    public long MaxNameBytes { get; set; } = ManyNames;

    /// <summary>
    /// Whether what a session does may be durable before a commit holds it: its name must not be used again then, since
    /// a recovery would take the operations of both for those of one.
    /// </summary>
    public bool IsEachDurable { get; set; }

    /// <summary>The number of open sessions.</summary>
    public int Count
    {
        get
        {
            lock (_lock) return _open.Count;
        }
    }

    /// <summary>A snapshot of the open sessions.</summary>
    public SessionCore[] Open => Volatile.Read(ref _snapshot) ?? Snapshot();

    /// <summary>Whether anything has been done that the last commit does not cover.</summary>
    public bool HasWork
    {
        get
        {
            lock (_lock)
            {
                if (Volatile.Read(ref _workedIn) > _committed) return true;
                foreach (SessionEntry entry in _open)
                    if (entry.IsAhead(Volatile.Read(ref entry.Holder!.Slot->Serial))) return true;
                return false;
            }
        }
    }

    /// <summary>The open sessions, after every start under way has ended. None will begin.</summary>
    public SessionCore[] OpenAfterStarts()
    {
        lock (_lock) _ended.Close();
        return Snapshot();
    }

    /// <summary>Refuses a name that a commit record could not hold.</summary>
    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
    public static void CheckName(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (name.Length > LongestName)
            throw new ArgumentException($"A session's name has at most {LongestName} characters.", nameof(name));
    }

    /// <summary>Adds the named sessions of a recovered commit.</summary>
    /// <param name="version">The version of the commit.</param>
    /// <param name="points">The commit's points.</param>
    /// <param name="isNewest">
    /// Whether the commit is the newest. If recovery skipped a later one, the next commit must replace that.
    /// </param>
    public void Recover(long version, IEnumerable<CommitPoint> points, bool isNewest)
    {
        lock (_lock)
        {
            foreach (CommitPoint point in points)
            {
                SessionEntry entry = MakeEntry(point.SessionName);
                (entry.Serial, entry.Committed) = (point.SerialNumber, point);
                bool forgets = Probe.On && Probe.Has(SeededBug.RecoveryForgetsExcluded);
                if (!forgets) entry.ExcludedSerials.Owe(point.Excluded);
                _named[point.SessionName!] = entry;
                _nameBytes += CommitRecordFile.BytesOf(point.SessionName!);
            }

            _committed = version;
            if (isNewest) _workedIn = version;
        }
    }

    /// <summary>
    /// Records that something was done in a version, or is reported now, that no open session's number shows. Takes no
    /// lock: it is also called inside an epoch.
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
    /// <param name="name">The session's name, or null.</param>
    /// <param name="mustBeKnown">Whether the name must be that of an earlier session.</param>
    /// <param name="make">Makes the session, under the registry's lock.</param>
    /// <exception cref="SessionMisuseException">The name is in use, not known, or just forgotten.</exception>
    /// <exception cref="LimitExceededException">The named sessions would not fit a commit record.</exception>
    public TSession Start<TSession>(string? name, bool mustBeKnown, Func<SessionEntry, TSession> make)
        where TSession : SessionCore
    {
        lock (_lock)
        {
            SessionEntry? known = name is null ? null : _named.GetValueOrDefault(name);
            if (known is { Holder: not null })
            {
                throw new SessionMisuseException(
                    $"Session '{name}' is open already. Dispose of it first, or choose another name.");
            }

            if (known is null && mustBeKnown)
            {
                throw new SessionMisuseException(
                    $"There is no session '{name}' to continue: none of that name was committed, or it was "
                    + "forgotten. Start it with StartSession.");
            }

            if (known is null && name is not null && _forgotten.ContainsKey(name))
            {
                throw new SessionMisuseException(
                    $"Session '{name}' was forgotten, and no commit holds that yet. Commit before the name is used "
                    + "again, or choose another one: each operation is durable, so a crash would take the operations "
                    + "of both sessions for those of one.");
            }

            if (known is null && name is not null && _nameBytes + CommitRecordFile.BytesOf(name) > MaxNameBytes)
                throw TooMany(name);
            SessionEntry entry = known ?? MakeEntry(name);
            TSession session = make(entry);
            if (known is not null) entry.ContinueOn(session.Slot);
            Begin(entry, session);
            if (known is not null || name is null) return session;
            _named.Add(name, entry);
            _nameBytes += CommitRecordFile.BytesOf(name);
            NoteWork(_commits.Current.OperationVersion);
            return session;
        }
    }

    /// <summary>Opens an unnamed session that is made of one that has ended, if there is one.</summary>
    public SessionCore? TryRenew()
    {
        lock (_lock)
        {
            if (_ended.TryRenew(_makeEntry) is not { Entry: { } entry } session) return null;
            Begin(entry, session);
            return session;
        }
    }

    /// <summary>Keeps a session that has ended, and has let go of its user, for <see cref="TryRenew"/>.</summary>
    public void Keep(SessionCore ended)
    {
        lock (_lock) _ended.Keep(ended);
    }

    /// <summary>Keeps the state of a session that ends.</summary>
    public void Close(SessionCore session, EpochSlot* slot)
    {
        lock (_lock)
        {
            if (session.Entry is not { } entry || entry.Holder != session) return;
            _open.Remove(entry);
            Volatile.Write(ref _snapshot, null);
            (entry.Serial, entry.Point, entry.PointVersion) = (slot->Serial, slot->Point, slot->PointVersion);
            entry.Holder = null;
            // Its last operation belongs to this version or an earlier one, whatever point it has recorded.
            if (entry.IsAhead(entry.Serial) && !(Probe.On && Probe.Has(SeededBug.EndedIsCommitted)))
                NoteWork(_commits.Current.OperationVersion);
        }
    }

    /// <summary>Forgets a named session: later commits do not carry it.</summary>
    /// <returns>Whether the name was known.</returns>
    /// <exception cref="SessionMisuseException">The session is open.</exception>
    public bool Forget(string name)
    {
        lock (_lock)
        {
            if (!_named.TryGetValue(name, out SessionEntry? entry)) return false;
            if (entry.Holder is not null)
                throw new SessionMisuseException($"Session '{name}' is open. Dispose of it before it is forgotten.");
            _named.Remove(name);
            _nameBytes -= CommitRecordFile.BytesOf(name);
            Invariant.Check(_nameBytes >= 0, $"{_named.Count} names take {_nameBytes} bytes");
            long version = _commits.Current.OperationVersion;
            if (IsEachDurable) _forgotten[name] = version;
            NoteWork(version);
            return true;
        }
    }

    /// <inheritdoc/>
    public (string? Name, long SerialNumber)? FindInUnit()
    {
        lock (_lock)
        {
            foreach (SessionEntry entry in _open)
                if (Volatile.Read(ref entry.Holder!.Slot->InUnit)) return (entry.Name, entry.Holder.Gate.Serial);
            return null;
        }
    }

    /// <summary>Refuses all commits to come. Called before the unit's session is not in a unit any more.</summary>
    /// <param name="unit">The unit that has failed.</param>
    /// <param name="version">The version that its operations belong to.</param>
    public void Fail(FailedUnit unit, long version)
    {
        Interlocked.CompareExchange(ref _failedUnit, unit, null);
        NoteWork(version); // so that a commit is tried, and says why it is refused
    }

    /// <inheritdoc/>
    public void ThrowIfUnitFailed()
    {
        if (Probe.On && Probe.Has(SeededBug.FailedUnitIsCommitted)) return;
        if (Volatile.Read(ref _failedUnit) is { } unit) throw unit.ToException();
    }

    /// <inheritdoc/>
    public CommitPoint[] Collect(long version)
    {
        lock (_lock)
        {
            _collected.Clear();
            foreach (SessionEntry entry in _open)
            {
                entry.IsAskedFor = true;
                _collected.Add((entry, entry.PointAt(SessionEntry.PointOf(entry.Holder!.Slot, version), version)));
            }

            foreach (SessionEntry entry in _named.Values)
            {
                if (entry.Holder is null) _collected.Add((entry, entry.EndOf(version)));
            }

            return [.. _collected.Select(static session => session.Point)];
        }
    }

    /// <summary>Called before an open session requests a commit of which it will ask for its point.</summary>
    /// <returns>False if the session has ended.</returns>
    public bool TryAsk(CommittingSession session)
    {
        lock (_lock)
        {
            if (session.Entry is not { } entry) return true;
            if (entry.Holder != session) return false;
            return entry.IsAskedFor = true;
        }
    }

    /// <summary>
    /// The point of a session in a commit that it has requested, once that is durable; after <see cref="TryAsk"/>.
    /// </summary>
    public Task<CommitPoint> PointOfAsync(CommittingSession session, Task<Commit> commit) =>
        BackgroundTasks.After(commit, done => PointIn(session, done.Version));

    /// <summary>The point of a session in a commit that it requested; the session may have ended since.</summary>
    /// <param name="session">The session.</param>
    /// <param name="version">The version of the commit, which is durable.</param>
    public CommitPoint PointIn(CommittingSession session, long version)
    {
        lock (_lock)
        {
            if (session.Entry is not { } entry || entry.Holder == session) return session.LastCommit;
            // Commits that collected an unnamed session while it was open hold its point. A later commit has all that
            // it did.
            return entry.Committed is { } point && point.Version >= version ? point : entry.EndOf(version);
        }
    }

    /// <summary>
    /// Called when the commit whose points were collected last is durable: sessions are continued from its points, and
    /// the open ones are informed, including one that has ended and was continued.
    /// </summary>
    /// <inheritdoc/>
    public void OnCommitted(long version, Action<Exception> onFault)
    {
        var open = new List<(SessionCore Session, CommitPoint Point)>(_collected.Count);
        lock (_lock)
        {
            Invariant.Check(version > _committed, $"version {version} becomes durable after {_committed}");
            _committed = version;
            foreach (string name in _forgotten.Keys.Where(name => _forgotten[name] <= version).ToArray())
                _forgotten.Remove(name);
            foreach ((SessionEntry entry, CommitPoint point) in _collected)
            {
                Invariant.Check(
                    point.SerialNumber >= (entry.Committed?.SerialNumber ?? 0),
                    $"commit points never fall: {entry.Committed?.SerialNumber} to {point.SerialNumber}");
                entry.Committed = point;
                if (Probe.On && Probe.Has(SeededBug.WentOnUntold) && entry.PointVersion == version) continue;
                if (entry.Holder is { } session) open.Add((session, point));
            }

            _collected.Clear();
        }

        foreach ((SessionCore session, CommitPoint point) in open)
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

    private SessionCore[] Snapshot()
    {
        lock (_lock) return _snapshot ??= [.. _open.Select(static entry => entry.Holder!)];
    }

    private LimitExceededException TooMany(string name) => new(
        $"Session '{name}' can't be started: {_named.Count:N0} named sessions take {_nameBytes:N0} bytes of each "
        + $"commit's record, of {MaxNameBytes:N0} at most. Forget sessions that are not continued any more "
        + "(ForgetSession), or start this one without a name.");

    private void Begin(SessionEntry entry, SessionCore session)
    {
        entry.Holder = session;
        _open.Add(entry);
        Volatile.Write(ref _snapshot, null);
    }

    private SessionEntry MakeEntry(string? name) => new(name, new ExcludedSerials(_tracks));
}
