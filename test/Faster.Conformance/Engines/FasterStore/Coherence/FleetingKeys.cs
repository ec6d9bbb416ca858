using Faster.Conformance.Contract;
using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Keys that are only read, and of which some expire at each tick: each is present in its history, and then permanently
/// absent. They expose a copy that outlives its record.
/// </summary>
/// <remarks>Each session reads under a number of its own; one thread advances the clock.</remarks>
internal sealed class FleetingKeys<TKey, TValue>
    where TKey : notnull
{
    private const int PerTick = 2;
    private const int ReadsPerSession = 12; // of a key: the checker takes 64 operations in all
    private const long FirstKey = 30_000;

    private readonly Flavor<TKey, TValue> _flavour;
    private readonly TickingTime _time;
    private readonly int _count;
    private readonly HistoryRecorder<TValue> _recorder = new();
    private readonly SessionLog<TValue>[] _logs;
    private readonly int[,] _reads;
    private readonly SessionLog<TValue> _deaths;

    /// <summary>Makes keys for a number of sessions, which are all dead after a number of ticks.</summary>
    public FleetingKeys(Flavor<TKey, TValue> flavor, TickingTime time, int sessions, int ticks)
    {
        (_flavour, _time, _count) = (flavor, time, ticks * PerTick);
        _logs = [.. Enumerable.Range(0, sessions).Select(_ => _recorder.NewLog(_count * ReadsPerSession))];
        _reads = new int[sessions, _count];
        _deaths = _recorder.NewLog(_count);
    }

    /// <summary>Writes them, before any time has passed.</summary>
    public void Load(ISessionUnderTest<TKey, TValue> session)
    {
        for (int i = 0; i < _count; i++)
        {
            CoherenceShape.LiveFor(session, 1 + (i / PerTick));
            session.UpsertNow(_flavour.Key(FirstKey + i), ValueOf(i));
        }
    }

    /// <summary>
    /// Reads the keys that expire next and those that have expired last, as often as the checker allows.
    /// </summary>
    public void ReadSome(ISessionUnderTest<TKey, TValue> session, int number)
    {
        int next = (int)_time.Passed * PerTick;
        for (int i = Math.Max(next - PerTick, 0); i < Math.Min(next + PerTick, _count); i++)
        {
            if (_reads[number, i]++ >= ReadsPerSession) continue;
            int asked = _logs[number].Ask(OperationKind.Read, FirstKey + i);
            ReadResult<TValue> found = session.ReadNow(_flavour.Key(FirstKey + i));
            _logs[number].Answer(asked, found.Found, found.Value);
        }
    }

    /// <summary>Advances the clock by one tick.</summary>
    public void Tick()
    {
        int next = (int)_time.Passed * PerTick;
        int[] asked = [.. Enumerable.Range(next, PerTick)
            .Select(i => _deaths.Ask(OperationKind.Delete, FirstKey + i))];
        _time.Advance();
        foreach (int number in asked) _deaths.Answer(number, found: true);
    }

    /// <summary>Asserts that each key's history is linearizable.</summary>
    public void Check()
    {
        var checker = new LinearizabilityChecker<TValue>(_flavour.Model);
        foreach (IGrouping<long, Operation<TValue>> key in _recorder.ByKey())
        {
            Violation<TValue>? violation = checker.Check(key, new(true, ValueOf(key.Key - FirstKey)));
            if (violation is not null) Assert.Fail($"Key {key.Key}, to expire. {violation}");
        }
    }

    private TValue ValueOf(long i) => _flavour.Value(FirstKey + i);
}
