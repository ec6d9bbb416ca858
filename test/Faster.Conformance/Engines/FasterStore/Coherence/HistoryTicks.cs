using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Ticks during histories whose sessions give what they write one tick to live: each deletes every key of a history at
/// one moment, and stands as a deletion in the history of each.
/// </summary>
/// <remarks>Used by one thread. Made before the sessions start, which is when no time has passed.</remarks>
internal sealed class HistoryTicks<TKey, TValue>
    where TKey : notnull
{
    /// <summary>How many there are in each history: no key has more operations than the checker takes.</summary>
    public const int Each = 3;

    private readonly SessionLog<TValue>[] _logs;
    private readonly TickingTime _time;
    private readonly FleetingKeys<TKey, TValue> _fleeting;
    private readonly int _keys;

    /// <summary>Ticks of a time at which nothing has ticked yet.</summary>
    public HistoryTicks(HistoryRound<TKey, TValue> round, TickingTime time, FleetingKeys<TKey, TValue> fleeting)
    {
        _logs = [.. Enumerable.Range(0, round.Plans.Length).Select(round.NewLog)];
        (_time, _fleeting, _keys) = (time, fleeting, round.KeysPerHistory);
    }

    /// <summary>From the beginning to the first tick of a history.</summary>
    public static long UntilFirstOf(int history) => (history * Each) + 1;

    /// <summary>Lets one pass, if one is left of this history's.</summary>
    public void Pass(int history)
    {
        if (IsOver(history)) return;
        bool isFirst = _time.Passed == history * Each; // at which dies what the history before has left
        (SessionLog<TValue> Log, int Number)[] asked =
            [.. Ask(history), .. isFirst && history > 0 ? Ask(history - 1) : []];
        _fleeting.Tick();
        foreach ((SessionLog<TValue> log, int number) in asked) log.Answer(number, found: true);
    }

    /// <summary>Lets those pass that are left of a history's.</summary>
    public void Finish(int history)
    {
        while (!IsOver(history)) Pass(history);
    }

    private bool IsOver(int history) => _time.Passed == (history + 1) * Each;

    private IEnumerable<(SessionLog<TValue> Log, int Number)> Ask(int history) => Enumerable
        .Range(history * _keys, _keys)
        .Select(key => (_logs[history], _logs[history].Ask(OperationKind.Delete, key)));
}
