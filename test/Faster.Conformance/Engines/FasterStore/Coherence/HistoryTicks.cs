using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Ticks during histories whose sessions write with a time to live of one tick: each tick deletes every key of a
/// history at one moment, and is recorded as a deletion in the history of each key.
/// </summary>
/// <remarks>Not thread-safe. Make it before the sessions start, when no time has passed.</remarks>
internal sealed class HistoryTicks<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The ticks of each history, few enough that no key has more operations than the checker takes.</summary>
    public const int Each = 3;

    private readonly SessionLog<TValue>[] _logs;
    private readonly TickingTime _time;
    private readonly FleetingKeys<TKey, TValue> _fleeting;
    private readonly int _keys;

    /// <summary>Makes the ticks of a clock that has not ticked yet.</summary>
    public HistoryTicks(HistoryRound<TKey, TValue> round, TickingTime time, FleetingKeys<TKey, TValue> fleeting)
    {
        _logs = [.. Enumerable.Range(0, round.Plans.Length).Select(round.NewLog)];
        (_time, _fleeting, _keys) = (time, fleeting, round.KeysPerHistory);
    }

    /// <summary>The ticks from the beginning to the first tick of a history, inclusive.</summary>
    public static long UntilFirstOf(int history) => (history * Each) + 1;

    /// <summary>Advances the clock by one tick, if this history has one left.</summary>
    public void Pass(int history)
    {
        if (IsOver(history)) return;
        bool isFirst = _time.Passed == history * Each; // expires what the previous history has left
        (SessionLog<TValue> Log, int Number)[] asked =
            [.. Ask(history), .. isFirst && history > 0 ? Ask(history - 1) : []];
        _fleeting.Tick();
        foreach ((SessionLog<TValue> log, int number) in asked) log.Answer(number, found: true);
    }

    /// <summary>Advances the clock by the ticks that a history has left.</summary>
    public void Finish(int history)
    {
        while (!IsOver(history)) Pass(history);
    }

    private bool IsOver(int history) => _time.Passed == (history + 1) * Each;

    private IEnumerable<(SessionLog<TValue> Log, int Number)> Ask(int history) => Enumerable
        .Range(history * _keys, _keys)
        .Select(key => (_logs[history], _logs[history].Ask(OperationKind.Delete, key)));
}
