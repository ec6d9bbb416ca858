using Faster.Conformance.Contract;
using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Keys at the log's begin that are only read until they are truncated: each is present in its history, and then
/// permanently absent.
/// </summary>
/// <remarks>
/// Each session reads under a number of its own; one thread truncates. Nothing may be compacted before the last
/// truncation.
/// </remarks>
internal sealed class DoomedKeys<TKey, TValue>
    where TKey : notnull
{
    /// <summary>How many truncations there are.</summary>
    public const int Groups = 3;

    private const int KeysPerGroup = 6;
    private const int ReadsPerSession = 12; // of a key: the checker takes 64 operations in all
    private const long FirstKey = 20_000;

    private readonly Flavor<TKey, TValue> _flavour;
    private readonly HistoryRecorder<TValue> _recorder = new();
    private readonly SessionLog<TValue>[] _logs;
    private readonly int[] _reads;
    private readonly SessionLog<TValue> _truncations;
    private readonly long[] _ends = new long[Groups];
    private int _gone;

    /// <summary>Makes keys that a number of sessions will read.</summary>
    public DoomedKeys(Flavor<TKey, TValue> flavor, int sessions)
    {
        _flavour = flavor;
        _logs = [.. Enumerable.Range(0, sessions)
            .Select(_ => _recorder.NewLog(Groups * KeysPerGroup * ReadsPerSession))];
        _reads = new int[sessions];
        _truncations = _recorder.NewLog(2 * Groups * KeysPerGroup);
    }

    /// <summary>Whether all of them have been truncated.</summary>
    public bool AreGone => _gone == Groups;

    /// <summary>Writes them into a new store.</summary>
    public void Load(FasterStoreUnderTest<TKey, TValue> store) => store.Use(session =>
    {
        for (int group = 0; group < Groups; group++)
        {
            for (int i = 0; i < KeysPerGroup; i++) session.UpsertNow(Key(group, i), ValueOf(group, i));

            // A truncation ends at the start of a page.
            int padding = CoherenceShape.RecordsOfTwoPages(_flavour);
            CoherenceShape.Fill(session, _flavour, group * padding, padding);
            _ends[group] = store.Statistics.TailAddress;
        }
    });

    /// <summary>Reads the next of them, in turn, as often as the checker allows.</summary>
    public void ReadNext(ISessionUnderTest<TKey, TValue> session, int number)
    {
        int read = _reads[number]++;
        if (read >= Groups * KeysPerGroup * ReadsPerSession) return;

        // Each twice in a row: the second read may find a copy.
        int index = (read / 2 * 7) % (Groups * KeysPerGroup);
        Read(session, _logs[number], index / KeysPerGroup, index % KeysPerGroup);
    }

    /// <summary>Truncates the next group.</summary>
    public async Task TruncateNextAsync(FasterStoreUnderTest<TKey, TValue> store)
    {
        int group = _gone;
        var asked = new int[KeysPerGroup];
        for (int i = 0; i < KeysPerGroup; i++) asked[i] = _truncations.Ask(OperationKind.Delete, NumberOf(group, i));
        await store.TruncateAsync(_ends[group]);
        for (int i = 0; i < KeysPerGroup; i++) _truncations.Answer(asked[i], found: true);
        _gone++;
        store.Use(session =>
        {
            for (int i = 0; i < KeysPerGroup; i++) Read(session, _truncations, group, i);
        });
    }

    /// <summary>Asserts that each key's history is linearizable, and that it ends with its absence.</summary>
    public void Check()
    {
        var checker = new LinearizabilityChecker<TValue>(_flavour.Model);
        foreach (IGrouping<long, Operation<TValue>> key in _recorder.ByKey())
        {
            (int group, int i) = Math.DivRem((int)(key.Key - FirstKey), KeysPerGroup);
            Violation<TValue>? violation = checker.Check(key, new(true, ValueOf(group, i)));
            if (violation is not null) Assert.Fail($"Key {key.Key}, to be truncated. {violation}");
        }
    }

    private static long NumberOf(int group, int i) => FirstKey + (group * KeysPerGroup) + i;

    private TKey Key(int group, int i) => _flavour.Key(NumberOf(group, i));

    private TValue ValueOf(int group, int i) => _flavour.Value(NumberOf(group, i));

    private void Read(ISessionUnderTest<TKey, TValue> session, SessionLog<TValue> log, int group, int i)
    {
        int asked = log.Ask(OperationKind.Read, NumberOf(group, i));
        ReadResult<TValue> found = session.ReadNow(Key(group, i));
        log.Answer(asked, found.Found, found.Value);
    }
}
