namespace Faster.Conformance.Histories;

/// <summary>Records the operations of concurrent sessions and their answers.</summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Times are ticks of one shared counter, taken by a locked increment. A time-stamp counter would disturb less, but it
/// could stamp an answer while the write that the answer reports is still in the processor's store buffer. A program
/// can notice that only with such a barrier of its own, so a clock would report violations in a correct store. Each
/// session writes to a log of its own. Read the operations only after all sessions have stopped.
/// </remarks>
public sealed class HistoryRecorder<TValue>
{
    private readonly List<SessionLog<TValue>> _logs = [];

    // The counter sits alone in its cache lines.
    private const int ClockSlot = 16;
    private readonly long[] _clock = new long[2 * ClockSlot];

    /// <summary>Makes a log for one session. Not thread-safe: make the logs before the sessions start.</summary>
    public SessionLog<TValue> NewLog(int capacity)
    {
        var log = new SessionLog<TValue>(this, _logs.Count, capacity);
        _logs.Add(log);
        return log;
    }

    /// <summary>The recorded operations, key by key.</summary>
    public ILookup<long, Operation<TValue>> ByKey() =>
        _logs.SelectMany(log => log.Operations).ToLookup(entry => entry.Key, entry => entry.Operation);

    internal long Tick() => Interlocked.Increment(ref _clock[ClockSlot]);
}

/// <summary>One session's operations and their answers.</summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// One thread at a time issues operations; an answer may come from another thread. Recording an operation allocates
/// nothing; an operation above the capacity is refused.
/// </remarks>
public sealed class SessionLog<TValue>
{
    private readonly HistoryRecorder<TValue> _recorder;
    private readonly int _session;
    private readonly long[] _keys;
    private readonly Operation<TValue>[] _operations;
    private int _count;

    internal SessionLog(HistoryRecorder<TValue> recorder, int session, int capacity)
    {
        _recorder = recorder;
        _session = session;
        _keys = new long[capacity];
        _operations = new Operation<TValue>[capacity];
    }

    /// <summary>The operations with their keys' numbers.</summary>
    public IEnumerable<(long Key, Operation<TValue> Operation)> Operations => _keys.Zip(_operations).Take(_count);

    /// <summary>Records that an operation is about to be issued.</summary>
    /// <returns>The operation's number, for <see cref="Answer"/>.</returns>
    public int Ask(OperationKind kind, long key, TValue? input = default)
    {
        int number = _count;
        _keys[number] = key;
        _operations[number] = new()
        {
            Session = _session,
            Kind = kind,
            Input = input,
            Invoked = _recorder.Tick(),
            Responded = Operation<TValue>.Never,
        };
        _count = number + 1;
        return number;
    }

    /// <summary>Records the answer to an operation.</summary>
    /// <param name="number">The operation's number.</param>
    /// <param name="found">Whether the status was Ok.</param>
    /// <param name="result">What a read found.</param>
    /// <param name="existed">Whether the key existed, if a read-modify-write has said so.</param>
    public void Answer(int number, bool found, TValue? result = default, bool? existed = null)
    {
        long time = _recorder.Tick();
        ref Operation<TValue> operation = ref _operations[number];
        if (operation.IsAnswered) throw new InvalidOperationException($"Operation {number} was answered twice.");
        operation = operation with { Responded = time, Found = found, Result = result, Existed = existed };
    }
}
