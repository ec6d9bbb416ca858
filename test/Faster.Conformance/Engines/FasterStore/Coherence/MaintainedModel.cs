using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Random operations and all that a store does beside them, on one thread, against a dictionary; then the store is
/// closed, and opened again as its last commit left it.
/// </summary>
/// <remarks>One seeded run; replays exactly but for what the store's own threads do.</remarks>
internal sealed class MaintainedModel<TKind, TKey, TValue>(string folder, int seed, bool cached)
    where TKind : ICoherentKind<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 300;
    private const int OneChoreIn = 25;

    private static readonly Flavour<TKey, TValue> Flavour = TKind.Flavour;

    private readonly Random _random = new(seed);
    private Dictionary<TKey, TValue> _model = new(Flavour.KeyEquality);
    private Dictionary<TKey, TValue> _committed = new(Flavour.KeyEquality);
    private CoherentStore<TKey, TValue> _store = null!;
    private ISessionUnderTest<TKey, TValue> _session = null!;
    private int _step;

    /// <summary>How often operations have found a copy.</summary>
    public long Hits { get; private set; }

    /// <summary>How many records compaction has copied.</summary>
    public long Copied { get; private set; }

    /// <summary>How often the index was halved.</summary>
    public int Shrinks { get; private set; }

    /// <summary>Opens the store so many times, and plays so many steps each time.</summary>
    public async Task PlayAsync(int openings, int steps)
    {
        for (int opening = 0; opening < openings; opening++)
        {
            _store = await TKind.OpenAsync(folder, CoherenceShape.Options(cached));
            _session = _store.StartSession();
            _model = new(_committed, Flavour.KeyEquality);
            CheckAll();
            await SpillAsync();
            for (int i = 0; i < steps; i++, _step++)
            {
                if (_random.Next(OneChoreIn) == 0) await DoChoreAsync();
                else Operate(Flavour.Key(_random.Next(Keys)));
            }

            CheckAll();
            if (_random.Next(2) == 0) await CommitAsync((CommitKind)_random.Next(3));
            Hits += _store.Statistics.ReadCacheHits;
            Copied += _store.Statistics.RecordsCopied;
            Shrinks += _store.Statistics.IndexShrinks;
            Assert.Null(_store.Statistics.LastFault);
            await _session.DisposeAsync();
            await _store.DisposeAsync();
        }
    }

    private void Operate(TKey key)
    {
        switch (_random.Next(10))
        {
            case 0:
                Put(key, _random.Next(4) == 0 ? TKind.Enlarged(Flavour.Value(_step)) : Flavour.Value(_step));
                break;
            case 1:
                TValue input = Flavour.Input(_step);
                _model[key] = _model.TryGetValue(key, out TValue? old) ? Flavour.Model.Update(old, input) : input;
                _session.RmwNow(key, input);
                break;
            case 2:
                bool existed = _model.Remove(key);
                Status status = _session.DeleteNow(key);
                Assert.False(existed && status == Status.NotFound, $"Step {_step}: a delete did not find its key.");
                break;
            default:
                Check(key);
                break;
        }
    }

    private async Task DoChoreAsync()
    {
        switch (_random.Next(8))
        {
            case 0:
                await _store.ResizeAsync(grow: true);
                break;
            case 1:
                await _store.ResizeAsync(grow: false);
                break;
            case 2 or 3:
                await CommitAsync((CommitKind)_random.Next(3));
                break;
            case 4 when TKind.Scans:
                await CompareScanAsync();
                break;
            case 5 when TKind.Compacts:
                StoreStatistics log = _store.Statistics;
                await _store.CompactAsync(
                    log.BeginAddress + (long)((log.TailAddress - log.BeginAddress) * _random.NextDouble()));
                break;
            case 6:
                await TruncateAsync();
                break;
            default:
                await SpillAsync();
                break;
        }
    }

    private async Task CommitAsync(CommitKind kind)
    {
        await _store.CommitAsync(kind, _random.Next(3) == 0);
        _committed = new(_model, Flavour.KeyEquality);
    }

    private async Task SpillAsync()
    {
        await CoherenceShape.SpillAsync(_store, Flavour); // with a commit
        _committed = new(_model, Flavour.KeyEquality);
    }

    // Most keys are written anew above what is truncated, and some are not.
    private async Task TruncateAsync()
    {
        await CommitAsync(CommitKind.FoldOver);
        CoherenceShape.Fill(_session, Flavour, _random.Next(1 << 20), CoherenceShape.RecordsOfTwoPages(Flavour));
        long until = _store.Statistics.TailAddress;
        TKey[] gone = [.. _model.Keys.Where(_ => _random.Next(10) == 0)];
        foreach (TKey key in gone) Check(key);
        foreach (TKey key in _model.Keys.Except(gone, Flavour.KeyEquality).ToArray()) Put(key, _model[key]);
        await _store.TruncateAsync(until);
        foreach (TKey key in gone)
        {
            _model.Remove(key);
            Check(key);
        }
    }

    private async Task CompareScanAsync()
    {
        var found = new Dictionary<TKey, TValue>(Flavour.KeyEquality);
        await foreach ((TKey key, TValue value) in _store.ScanAsync())
            Assert.True(found.TryAdd(key, value), $"Step {_step}: a scan has found a key twice.");
        for (int i = 0; i < Keys; i++)
        {
            TKey key = Flavour.Key(i);
            bool isFound = found.TryGetValue(key, out TValue? value);
            AssertSame(key, isFound ? new(true, value!) : default, "a scan");
        }
    }

    private void Put(TKey key, TValue value)
    {
        _model[key] = value;
        _session.UpsertNow(key, value);
    }

    // Twice: the second time there may be a copy.
    private void Check(TKey key)
    {
        for (int i = 0; i < 2; i++) AssertSame(key, _session.ReadNow(key), "a read");
    }

    private void CheckAll()
    {
        for (int i = 0; i < Keys; i++) Check(Flavour.Key(i));
    }

    private void AssertSame(TKey key, ReadResult<TValue> found, string what)
    {
        bool isThere = _model.TryGetValue(key, out TValue? expected);
        if (isThere == found.Found && (!isThere || Flavour.Model.Equality.Equals(expected!, found.Value))) return;
        string wanted = isThere ? Flavour.Model.Show(expected!) : "nothing";
        string seen = found.Found ? Flavour.Model.Show(found.Value) : "nothing";
        Assert.Fail($"Step {_step}, {what}, key {key}: expected {wanted}, found {seen}.");
    }
}
