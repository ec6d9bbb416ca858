using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>The plans and records of the histories that one store sees.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Sessions write to their own logs; check when all have ended.</remarks>
internal sealed class HistoryRound<TKey, TValue>
    where TKey : notnull
{
    private readonly Flavor<TKey, TValue> _flavour;
    private readonly HistoryRecorder<TValue>[] _recorders;
    private readonly bool _cold;

    /// <summary>Plans the histories.</summary>
    /// <param name="flavor">What keys and values look like.</param>
    /// <param name="seed">The seed of the plans.</param>
    /// <param name="sessions">How many sessions play.</param>
    /// <param name="histories">How many histories they play.</param>
    /// <param name="keysPerHistory">The most keys of one history.</param>
    /// <param name="cold">Whether all keys have a value when the histories begin.</param>
    public HistoryRound(
        Flavor<TKey, TValue> flavor, int seed, int sessions, int histories, int keysPerHistory, bool cold)
    {
        (_flavour, _cold, Seed, KeysPerHistory) = (flavor, cold, seed, keysPerHistory);
        _recorders = [.. Enumerable.Range(0, histories).Select(_ => new HistoryRecorder<TValue>())];
        Plans = [.. _recorders.Select((_, i) => new HistoryPlan((seed * 1_000) + i, sessions))];
        Logs = [.. _recorders.Select(recorder =>
            Enumerable.Range(0, sessions).Select(_ => recorder.NewLog(64)).ToArray())];
    }

    /// <summary>The seed.</summary>
    public int Seed { get; }

    /// <summary>The most keys of one history; keys are numbered consecutively through all histories.</summary>
    public int KeysPerHistory { get; }

    /// <summary>The plan of each history.</summary>
    public HistoryPlan[] Plans { get; }

    /// <summary>The logs, by history and session.</summary>
    public SessionLog<TValue>[][] Logs { get; }

    /// <summary>What a key holds before its history begins.</summary>
    public RegisterState<TValue> InitialOf(long key) => _cold ? new(true, _flavour.Value(-1 - key)) : default;

    /// <summary>A log for one more session in a history. Call it before the sessions start.</summary>
    public SessionLog<TValue> NewLog(int history) => _recorders[history].NewLog(64);

    /// <summary>Asserts that every history is linearizable, key by key.</summary>
    /// <param name="overlaps">Counts the concurrent operations.</param>
    public void Check(OverlapCount overlaps)
    {
        var checker = new LinearizabilityChecker<TValue>(_flavour.Model);
        for (int history = 0; history < _recorders.Length; history++)
        {
            foreach (IGrouping<long, Operation<TValue>> key in _recorders[history].ByKey())
            {
                overlaps.Add([.. key]);
                Violation<TValue>? violation = checker.Check(key, InitialOf(key.Key));
                if (violation is not null) Assert.Fail($"History {history}, key {key.Key}. {violation}");
            }
        }
    }
}
