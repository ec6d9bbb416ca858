using Faster.Contracts;
using Faster.Crash.Leases;

namespace Faster.Crash.Swarm;

/// <summary>
/// The sessions of one life of a store, which start, end, continue under their name, are forgotten, or live for one
/// request; and the operations that they issue, on one thread.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class SwarmSessions(
    SwarmPlan plan, SwarmStore store, SwarmHistory history, SwarmState state, LeaseTime? clock, Random random,
    SwarmTally counters)
{
    private const int Names = 5, KeysOfAUnit = 3;

    private const string Apart = "apart ";

    private readonly List<SwarmSeat> _seats = [];
    private readonly string?[] _names = new string?[Names];

    /// <summary>The open named sessions.</summary>
    public IReadOnlyList<SwarmSeat> Seats => _seats;

    /// <summary>Whether no commit runs, and none begins by itself.</summary>
    public bool NoCommitRuns { get; set; }

    private long Now => clock?.Milliseconds ?? 0;

    /// <summary>Issues operations, while sessions start and end.</summary>
    /// <param name="count">How many operations.</param>
    /// <param name="small">Whether none is larger than usual, or needs the disk.</param>
    public void Work(int count, bool small = false)
    {
        for (; count > 0; count--)
        {
            int choice = random.Next(small ? 12 : 120);
            if (choice == 0) Request();
            else if (choice == 1) ChangeLife();
            else Do(AnySeat(), small);
        }
    }

    /// <summary>Runs a session without a name for a few operations.</summary>
    public void Request()
    {
        SwarmSeat seat = Open(null);
        for (int i = random.Next(1, 4); i > 0; i--) Do(seat, small: true);
        Complete(seat);
        Close(seat);
    }

    /// <summary>Ends, continues or forgets a named session.</summary>
    public void ChangeLife()
    {
        if (_seats.Count > 0 && random.Next(3) != 0)
        {
            SwarmSeat seat = _seats[random.Next(_seats.Count)];
            if (random.Next(2) == 0) Complete(seat);
            Close(seat);
            if (random.Next(2) == 0) _ = Open(seat.Client.Name!);
            return;
        }

        SwarmClient[] ended = [.. history.Known.Where(known =>
            !known.Name!.StartsWith(Apart, StringComparison.Ordinal) && _seats.All(seat => seat.Client != known))];
        if (ended.Length > 0 && random.Next(3) == 0 && MayForget) Forget(ended[random.Next(ended.Length)]);
        else _ = AnySeat();
    }

    /// <summary>Issues one operation.</summary>
    public void Do(SwarmSeat seat, bool small)
    {
        int key = KeyOf();
        Settle(key);
        int act = random.Next(100), form = random.Next(1 << 20);
        if (act < plan.AppendsToAll && !small)
        {
            DoAll(seat, key);
            return;
        }

        SwarmAct kind = act < plan.Appends && MayAppend(seat, key) ? SwarmAct.Append
            : act >= 97 ? SwarmAct.Delete
            : act >= 92 ? SwarmAct.Read
            : SwarmAct.Put;
        SwarmOperation operation = Issue(seat, kind, key, LengthOf(kind, small));
        if (kind == SwarmAct.Read) Read(seat, operation);
        else seat.Do(operation, form);
        CheckSerial(seat, operation.Serial);
        if (!seat.Pending.ContainsKey(operation.Serial)) history.Acknowledge(seat.Client, operation.Serial);
        if (seat.Client.Name is null) Complete(seat);
    }

    /// <summary>Records an operation as issued; the caller executes it next.</summary>
    public SwarmOperation Issue(SwarmSeat seat, SwarmAct act, int key, int length, long? serial = null)
    {
        SwarmOperation operation = history.Issue(new SwarmOperation(
            0, seat.Client, serial ?? seat.Session.SerialNumber + 1, act, key, (uint)random.Next(), length, Now,
            (long)seat.TimeToLive.TotalMilliseconds));
        state.Apply(operation);
        counters.Add(SwarmCount.Operations);
        return operation;
    }

    /// <summary>Opens a session that stays open and issues nothing by itself.</summary>
    public SwarmSeat OpenApart(int place)
    {
        SwarmSeat seat = Open($"{Apart}{place}");
        _seats.Remove(seat);
        return seat;
    }

    /// <summary>Opens a session.</summary>
    public SwarmSeat Open(string? name)
    {
        bool isKnown = name is not null && history.Known.Any(known => known.Name == name);
        SwarmClient client = history.Begin(name);
        ICommitSession session = isKnown && random.Next(2) == 0
            ? store.Continue(name!)
            : store.Start(name);
        if (session.SerialNumber != client.Issued)
        {
            throw new SwarmViolation(
                SwarmFault.StalePoint,
                $"{client} has issued {client.Issued}, and goes on after {session.SerialNumber}.");
        }

        var seat = new SwarmSeat(session, client, plan.Merges);
        if (plan.Expires && random.Next(2) == 0) seat.TimeToLive = TimeSpan.FromMinutes(random.Next(300));
        counters.Add(SwarmCount.Sessions);
        if (name is not null) _seats.Add(seat);
        return seat;
    }

    /// <summary>Completes what waits for the disk, in all sessions.</summary>
    public void CompleteAll()
    {
        foreach (SwarmSeat seat in _seats) Complete(seat);
    }

    /// <summary>Closes all sessions.</summary>
    public void CloseAll()
    {
        foreach (SwarmSeat seat in _seats.ToArray()) Close(seat);
    }

    private void Complete(SwarmSeat seat)
    {
        seat.Complete();
        history.Acknowledge(seat.Client);
    }

    private void Close(SwarmSeat seat)
    {
        _seats.Remove(seat);
        if (random.Next(2) == 0) seat.Session.Dispose();
        else seat.Session.DisposeAsync().AsTask().GetAwaiter().GetResult();
        history.Acknowledge(seat.Client);
    }

    private void Forget(SwarmClient client)
    {
        if (!store.Forget(client.Name!))
            throw new SwarmViolation(SwarmFault.StalePoint, $"{client} was not known when it was to be forgotten.");
        history.Forget(client);
        if (NoCommitRuns && random.Next(2) == 0) return;
        int place = Array.IndexOf(_names, client.Name);
        if (place >= 0) _names[place] = null;
    }

    private SwarmSeat AnySeat()
    {
        int place = random.Next(Names);
        string name = _names[place] ??= NameOf(place);
        return _seats.FirstOrDefault(seat => seat.Client.Name == name) ?? Open(name);
    }

    // In relaxed order a commit excludes the operations of a session that were pending when it was requested and
    // completed later. If the session is forgotten before the points are collected, no point lists them.
    private bool MayForget => NoCommitRuns || plan.Order == PendingOrder.Strict;

    // A name that was forgotten while a commit ran is not used again: its point may be that of either client.
    private string NameOf(int place)
    {
        string prefix = $"client {place}.";
        return history.Known.FirstOrDefault(known => known.Name!.StartsWith(prefix, StringComparison.Ordinal))?.Name
            ?? $"{prefix}{history.Next}";
    }

    // Two operations on one key of which the first waits for the disk have no order.
    private void Settle(int key)
    {
        foreach (SwarmSeat seat in _seats)
            if (seat.Pending.ContainsValue(key)) Complete(seat);
    }

    private void DoAll(SwarmSeat seat, int first)
    {
        int[] keys = [.. Enumerable.Range(0, KeysOfAUnit).Select(i => (first + (i * 7)) % plan.Keys).Distinct()];
        if (!keys.All(key => MayAppend(seat, key))) return;
        foreach (int key in keys) Settle(key);
        int jump = random.Next(3);
        if (plan.Table is not null && jump == 0)
        {
            Transact(seat, keys);
            return;
        }

        long serial = seat.Session.SerialNumber + 1 + jump;
        SwarmOperation one = Issue(seat, SwarmAct.Append, keys[0], LengthOf(SwarmAct.Append, small: true), serial);
        foreach (int key in keys[1..]) state.Apply(history.Issue(one with { Key = key }));
        seat.DoAll(keys, SwarmValue.BytesOf(one.Seed, one.Length), serial);
        CheckSerial(seat, serial);
        history.Acknowledge(seat.Client, serial);
    }

    // One that is refused has a number, and changes nothing, as a read.
    private void Transact(SwarmSeat seat, int[] keys)
    {
        bool commits = random.Next(6) != 0;
        SwarmAct act = commits ? SwarmAct.Append : SwarmAct.Read;
        SwarmOperation one = Issue(seat, act, keys[0], LengthOf(SwarmAct.Append, small: true));
        if (commits) foreach (int key in keys[1..]) state.Apply(history.Issue(one with { Key = key }));
        TransactionStatus status = seat.Transact(keys, SwarmValue.BytesOf(one.Seed, one.Length), commits);
        if (status != (commits ? TransactionStatus.Committed : TransactionStatus.Aborted))
            throw new SwarmViolation(SwarmFault.FailedCall, $"{one} as a transaction is {status}.");
        CheckSerial(seat, one.Serial);
    }

    private void Read(SwarmSeat seat, SwarmOperation operation)
    {
        Complete(seat);
        SwarmFound? found = seat.Read(operation.Key) is { } bytes ? SwarmFound.Of(bytes) : null;
        SwarmValue? value = state.Find(operation.Key, Now);
        if (SwarmFound.Same(found, value)) return;
        throw new SwarmViolation(
            SwarmFault.LiveState, $"{operation} finds {found?.Length ?? -1} bytes of {value?.Length ?? -1}.");
    }

    // A session without a name never waits for the disk in relaxed order: nothing lists its excluded numbers.
    private bool MayAppend(SwarmSeat seat, int key) =>
        (seat.Client.Name is not null || plan.Order == PendingOrder.Strict)
        && (state.Find(key, Now)?.Length ?? 0) < plan.LongestAppended;

    private int KeyOf() => random.Next(random.Next(2) == 0 ? plan.Keys : Math.Max(plan.Keys / 8, 1));

    private int LengthOf(SwarmAct act, bool small)
    {
        if (act is SwarmAct.Delete or SwarmAct.Read) return 0;
        if (!small && plan.LargeEvery != 0 && random.Next(plan.LargeEvery) == 0) return random.Next(plan.LargeLength);
        if (act == SwarmAct.Append) return 1 + random.Next(Math.Max(plan.ValueLength / 4, 1));
        return plan.IsFixedLength ? plan.ValueLength : random.Next(plan.ValueLength + 1);
    }

    private static void CheckSerial(SwarmSeat seat, long serial)
    {
        if (seat.Session.SerialNumber == serial) return;
        throw new SwarmViolation(
            SwarmFault.StalePoint, $"Operation {serial} of {seat.Client} got number {seat.Session.SerialNumber}.");
    }
}
