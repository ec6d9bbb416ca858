using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>The plans and records of the histories that one store sees.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Sessions write to their own logs; check when all have ended.</remarks>
internal sealed class HistoryRound<TKey, TValue>
    where TKey : notnull
{
    private readonly Flavour<TKey, TValue> _flavour;
    private readonly HistoryRecorder<TValue>[] _recorders;
    private readonly bool _cold;

    /// <summary>Plans the histories.</summary>
    /// <param name="flavour">What keys and values look like.</param>
    /// <param name="seed">What decides all.</param>
    /// <param name="sessions">How many sessions play.</param>
    /// <param name="histories">How many histories they play.</param>
    /// <param name="keysPerHistory">The most keys of one.</param>
    /// <param name="cold">Whether all keys have a value when the histories begin.</param>
    public HistoryRound(
        Flavour<TKey, TValue> flavour, int seed, int sessions, int histories, int keysPerHistory, bool cold)
    {
        (_flavour, _cold, Seed, KeysPerHistory) = (flavour, cold, seed, keysPerHistory);
        _recorders = [.. Enumerable.Range(0, histories).Select(_ => new HistoryRecorder<TValue>())];
        Plans = [.. _recorders.Select((_, i) => new HistoryPlan((seed * 1_000) + i, sessions))];
        Logs = [.. _recorders.Select(recorder =>
            Enumerable.Range(0, sessions).Select(_ => recorder.NewLog(64)).ToArray())];
    }

    /// <summary>The seed.</summary>
    public int Seed { get; }

    /// <summary>The most keys of one history: keys are numbered through all of them.</summary>
    public int KeysPerHistory { get; }

    /// <summary>What the sessions ask, history by history.</summary>
    public HistoryPlan[] Plans { get; }

    /// <summary>Where they note it, history by history and session by session.</summary>
    public SessionLog<TValue>[][] Logs { get; }

    /// <summary>What a key holds before its history begins.</summary>
    public RegisterState<TValue> InitialOf(long key) => _cold ? new(true, _flavour.Value(-1 - key)) : default;

    /// <summary>A log for one more session in a history. Before the sessions start.</summary>
    public SessionLog<TValue> NewLog(int history) => _recorders[history].NewLog(64);

    /// <summary>Asserts that every history is linearizable, key by key.</summary>
    /// <param name="overlaps">Counts what was concurrent.</param>
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
