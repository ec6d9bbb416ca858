namespace Faster.Crash.Swarm;

/// <summary>A commit as the model knows it.</summary>
/// <param name="Version">Its version.</param>
/// <param name="Points">The points of the named sessions.</param>
internal sealed record SwarmTold(long Version, IReadOnlyDictionary<SwarmClient, CommitPoint> Points)
{
    /// <summary>All operations with a lower number were issued before it was requested: it holds them.</summary>
    public long Covers { get; set; }
}

/// <summary>
/// Everything that was issued and acknowledged, and what a store must hold by it. One thread issues all operations of a
/// store, so a commit is a prefix of all of them together, without the numbers that its points exclude.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class SwarmHistory
{
    private readonly Dictionary<string, SwarmClient> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<int, SwarmClient> _byId = [];
    private readonly SortedDictionary<long, SwarmTold> _told = [];
    private readonly List<SwarmOperation> _open = []; // not acknowledged, where each is durable when it is
    private List<SwarmOperation> _operations = [];
    private int _clients;

    /// <summary>Whether each operation is durable when it is acknowledged.</summary>
    public bool IsEachDurable { get; init; }

    /// <summary>Records everything before it happens, for a process that continues from there; or null.</summary>
    public Action<string>? Journal { get; set; }

    /// <summary>The number that the next operation gets.</summary>
    public long Next { get; private set; } = 1;

    /// <summary>The newest acknowledged commit; null before the first.</summary>
    public SwarmTold? LastTold => _told.Count == 0 ? null : _told.Last().Value;

    /// <summary>An operation that must be there, though no commit was acknowledged that has it; or null.</summary>
    public SwarmOperation? FirstAcknowledged => IsEachDurable
        ? _operations.Except(_open).FirstOrDefault(static operation => operation.Act != SwarmAct.Read)
        : null;

    /// <summary>The named sessions that are not forgotten.</summary>
    public IEnumerable<SwarmClient> Known => _byName.Values.Where(static client => !client.IsForgotten);

    /// <summary>Records the start of a session.</summary>
    public SwarmClient Begin(string? name)
    {
        if (name is not null && _byName.TryGetValue(name, out SwarmClient? known) && !known.IsForgotten) return known;
        Journal?.Invoke(SwarmJournal.Client(name));
        var client = new SwarmClient(++_clients, name);
        _byId[client.Id] = client;
        if (name is not null) _byName[name] = client;
        return client;
    }

    /// <summary>A session by its client's number.</summary>
    public SwarmClient Find(int id) => _byId[id];

    /// <summary>Records that a session that is not open is forgotten.</summary>
    public void Forget(SwarmClient client)
    {
        Journal?.Invoke(SwarmJournal.Forget(client));
        client.IsForgotten = true;
    }

    /// <summary>Records an operation that is about to be issued.</summary>
    public SwarmOperation Issue(SwarmOperation operation)
    {
        Journal?.Invoke(SwarmJournal.Operation(operation));
        operation = operation with { Number = Next++ };
        _operations.Add(operation);
        if (IsEachDurable) _open.Add(operation);
        operation.Client.Issued = operation.Serial;
        operation.Client.Missing.Clear();
        return operation;
    }

    /// <summary>Records that an operation is acknowledged, or all of a session.</summary>
    public void Acknowledge(SwarmClient client, long? serial = null)
    {
        int count = _open.RemoveAll(o => o.Client == client && o.Serial == (serial ?? o.Serial));
        if (count != 0) Journal?.Invoke(SwarmJournal.Acknowledged(client, serial));
    }

    /// <summary>Records an acknowledged commit.</summary>
    /// <param name="version">Its version.</param>
    /// <param name="points">Its points.</param>
    /// <param name="covers">All operations with a lower number were issued before it was requested.</param>
    public SwarmTold Tell(long version, IReadOnlyList<CommitPoint> points, long covers)
    {
        Journal?.Invoke(SwarmJournal.Told(version, points, covers));
        if (!_told.TryGetValue(version, out SwarmTold? told))
            _told[version] = told = new SwarmTold(version, PointsOf(points));
        told.Covers = Math.Max(told.Covers, covers);
        foreach ((SwarmClient client, CommitPoint point) in told.Points) Check(client, point);
        _open.RemoveAll(o => told.Points.ContainsKey(o.Client) && Holds(told, o));
        return told;
    }

    /// <summary>The state after all operations.</summary>
    public SwarmState Now()
    {
        var state = new SwarmState();
        foreach (SwarmOperation operation in _operations) state.Apply(operation);
        return state;
    }

    /// <summary>Compares the state of a commit with the model.</summary>
    /// <param name="told">The commit.</param>
    /// <param name="found">Everything that was found.</param>
    /// <param name="time">The store's clock.</param>
    /// <param name="cut">If nothing is wrong, the number before which the commit has cut the operations.</param>
    /// <returns>What is wrong, or null.</returns>
    public string? Compare(
        SwarmTold told, IReadOnlyDictionary<int, SwarmFound> found, long time, out long cut)
    {
        (cut, long end) = (told.Covers, Next);
        foreach (SwarmOperation operation in _operations.Where(o => IsListed(told, o.Client)))
        {
            if (operation.Serial <= (told.Points.GetValueOrDefault(operation.Client)?.SerialNumber ?? 0))
                cut = Math.Max(cut, operation.Number + 1);
            else end = Math.Min(end, operation.Number);
        }

        if (cut > end) return $"Commit {told.Version} cuts after {cut - 1}, but not before {end}.";
        long first = cut;
        (SwarmState state, HashSet<int> wrong) = Replay(first, told, found, time);
        if (wrong.Count == 0) return null;
        string described = Describe(told, state, found, wrong, time);

        // The operations in between were issued during the commit by sessions that it does not list: it holds a prefix
        // of them.
        foreach (SwarmOperation operation in _operations.Where(o => o.Number >= first && o.Number < end))
        {
            if (IsListed(told, operation.Client)) continue;
            state.Apply(operation);
            cut = operation.Number + 1;
            if (SwarmFound.Same(FoundOf(found, operation.Key), state.Find(operation.Key, time)))
                wrong.Remove(operation.Key);
            else wrong.Add(operation.Key);
            if (wrong.Count == 0) return null;
        }

        return described;
    }

    /// <summary>
    /// Compares what a store has recovered whose every operation is durable: all that was acknowledged must be there,
    /// and of the rest what the points say.
    /// </summary>
    /// <inheritdoc cref="Compare"/>
    public string? CompareAcknowledged(
        SwarmTold told, IReadOnlyDictionary<int, SwarmFound> found, long time, out long cut)
    {
        cut = Next;
        foreach (SwarmOperation done in _operations.Except(_open).Where(o => o.Act != SwarmAct.Read))
        {
            if (Holds(told, done)) continue;
            return $"{done} was acknowledged, but {Text(told.Points.GetValueOrDefault(done.Client))} was recovered.";
        }

        if (CompareBefore(cut, told, found, time) is not { } wrong) return null;

        // The last operation may be that of a session without a name, which no point lists.
        cut = _open.Where(o => !IsListed(told, o.Client)).Select(static o => o.Number).DefaultIfEmpty(Next).Min();
        return CompareBefore(cut, told, found, time) is null ? null : wrong;
    }

    /// <summary>Records a recovery from a commit: what came after the commit did not happen.</summary>
    public void Recover(SwarmTold told, long cut)
    {
        Journal?.Invoke(SwarmJournal.Recovered(told, cut));
        foreach (SwarmOperation lost in _operations.Where(o => o.Number < cut && !Holds(told, o)))
        {
            if (lost.Serial > told.Points.GetValueOrDefault(lost.Client)?.SerialNumber) continue;
            lost.Client.Missing.Add(lost.Serial);
            lost.Client.ExcludedSerials.Add(lost.Serial);
        }

        _operations = [.. _operations.Where(o => o.Number < cut && Holds(told, o))];
        _open.Clear(); // what is there stays
        foreach (long later in _told.Keys.Where(v => v > told.Version).ToArray()) _told.Remove(later);
        _told.TryAdd(told.Version, told);
        foreach (SwarmClient client in _byName.Values.Where(client => !told.Points.ContainsKey(client)).ToArray())
            _byName.Remove(client.Name!);
        foreach ((SwarmClient client, CommitPoint point) in told.Points)
        {
            (client.Issued, client.Told, client.IsForgotten) = (point.SerialNumber, point, false);
            client.ExcludedSerials.UnionWith(point.Excluded); // with each operation durable, also numbers of reads
            _byName[client.Name!] = client;
        }
    }

    /// <summary>Records that the store began empty: no commit was ever acknowledged.</summary>
    public void Reset()
    {
        Journal?.Invoke(SwarmJournal.Reset);
        _operations.Clear();
        _open.Clear();
        _byName.Clear();
    }

    /// <summary>The commit of a recovery, with what the model knows of it.</summary>
    public SwarmTold Recovered(long version, IReadOnlyList<CommitPoint> points)
    {
        if (IsEachDurable)
        {
            var found = new SwarmTold(version, PointsOf(points));
            foreach ((SwarmClient client, CommitPoint point) in found.Points) Check(client, point);
            return found;
        }

        SwarmTold recovered = _told.GetValueOrDefault(version)
            ?? new SwarmTold(version, PointsOf(points)) { Covers = LastTold?.Covers ?? 0 };
        foreach ((SwarmClient client, CommitPoint point) in PointsOf(points, recovered))
        {
            CommitPoint? told = recovered.Points.GetValueOrDefault(client);
            if (told is null || told.SerialNumber != point.SerialNumber
                || !told.Excluded.SequenceEqual(point.Excluded))
            {
                throw new SwarmViolation(
                    SwarmFault.StalePoint,
                    $"Commit {version} was told with {Text(told)} for {client}, but {Text(point)} was recovered.");
            }

            Check(client, point);
        }

        if (recovered.Points.Keys.FirstOrDefault(c => points.All(p => p.SessionName != c.Name)) is { } lost)
            throw new SwarmViolation(SwarmFault.StalePoint, $"{lost} of commit {version} was not recovered.");
        return recovered;
    }

    /// <summary>A point as text.</summary>
    public static string Text(CommitPoint? point) => point is null
        ? "no point"
        : $"{point.SerialNumber} of version {point.Version} less [{string.Join(' ', point.Excluded)}]";

    private string? CompareBefore(
        long end, SwarmTold told, IReadOnlyDictionary<int, SwarmFound> found, long time)
    {
        (SwarmState state, HashSet<int> wrong) = Replay(end, told, found, time);
        return wrong.Count == 0 ? null : Describe(told, state, found, wrong, time);
    }

    // What a commit holds of the operations before a number, and the keys of which something else was found.
    private (SwarmState State, HashSet<int> Wrong) Replay(
        long end, SwarmTold told, IReadOnlyDictionary<int, SwarmFound> found, long time)
    {
        var state = new SwarmState();
        foreach (SwarmOperation operation in _operations.Where(o => o.Number < end && Holds(told, o)))
            state.Apply(operation);
        return (state, [.. found.Keys.Concat(state.Keys)
            .Where(key => !SwarmFound.Same(FoundOf(found, key), state.Find(key, time)))]);
    }

    private static SwarmFound? FoundOf(IReadOnlyDictionary<int, SwarmFound> found, int key) =>
        found.TryGetValue(key, out SwarmFound there) ? there : null;

    private static void Check(SwarmClient client, CommitPoint point)
    {
        if (!client.Missing.IsSubsetOf(point.Excluded))
        {
            throw new SwarmViolation(
                SwarmFault.LostExclusion,
                $"{client} has not issued {string.Join(' ', client.Missing)} again, but its point is {Text(point)}.");
        }

        if (client.Told is { } told && told.Version < point.Version
            && (told.SerialNumber > point.SerialNumber
                || point.Excluded.Any(n => told.Covers(n) && !client.Missing.Contains(n))))
        {
            throw new SwarmViolation(
                SwarmFault.StalePoint, $"{client} was told {Text(told)}, and then {Text(point)}.");
        }

        if (client.Told is null || client.Told.Version < point.Version) client.Told = point;
    }

    // Nothing is listed of sessions without a name and of forgotten ones: the cut decides what the commit holds.
    private static bool Holds(SwarmTold told, SwarmOperation operation) =>
        told.Points.TryGetValue(operation.Client, out CommitPoint? point)
            ? point.Covers(operation.Serial)
            : operation.Client.Name is null || operation.Client.IsForgotten;

    private static bool IsListed(SwarmTold told, SwarmClient client) =>
        told.Points.ContainsKey(client) || (client.Name is not null && !client.IsForgotten);

    // A name that was forgotten after a commit, and used again, means the old client in that commit.
    private Dictionary<SwarmClient, CommitPoint> PointsOf(IReadOnlyList<CommitPoint> points, SwarmTold? told = null)
    {
        var owners = new Dictionary<string, SwarmClient>(_byName, StringComparer.Ordinal);
        foreach (SwarmClient client in told?.Points.Keys ?? []) owners[client.Name!] = client;
        return points
            .Where(point => point.SessionName is not null && owners.ContainsKey(point.SessionName))
            .ToDictionary(point => owners[point.SessionName!]);
    }

    private string Describe(
        SwarmTold told, SwarmState state, IReadOnlyDictionary<int, SwarmFound> found, HashSet<int> wrong, long time)
    {
        int key = wrong.Min();
        SwarmValue? expected = state.Find(key, time);
        string holds = "is absent";
        if (FoundOf(found, key) is { } there)
        {
            var replay = new SwarmState();
            SwarmOperation? left = null;
            foreach (SwarmOperation operation in _operations.Where(o => o.Key == key))
            {
                replay.Apply(operation);
                if (SwarmFound.Same(there, replay.Find(key, operation.Time))) left = operation;
            }

            holds = left is null ? $"has {there.Length} bytes that were never its value" : $"is as {left} left it";
        }

        SwarmOperation? last = _operations.LastOrDefault(
            o => o.Key == key && o.Act != SwarmAct.Read && o.Number < told.Covers);
        string must = expected is null ? "be absent" : $"have {expected.Length} bytes";
        return $"Commit {told.Version}: {wrong.Count} of {state.Keys.Count} keys are wrong; key {key} {holds}, but "
            + $"must {must} after {last?.ToString() ?? "no operation"} (it covers all before {told.Covers}).";
    }
}
