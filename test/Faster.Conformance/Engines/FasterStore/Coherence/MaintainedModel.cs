using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>
/// Random operations and the store's maintenance, on one thread, against a dictionary; then the store is closed, and
/// reopened as its last commit left it. Where records may expire, the session gives them random times to live, and the
/// dictionary follows the clock.
/// </summary>
/// <remarks>One seeded run; it replays exactly, except for what the store's own threads do.</remarks>
internal sealed class MaintainedModel<TKind, TKey, TValue>(string folder, int seed, bool cached)
    where TKind : ICoherentKind<TKey, TValue>
    where TKey : notnull
{
    private const int Keys = 300;
    private const int OneChoreIn = 25;
    private const int OneTickIn = 12;
    private const int OneLifeIn = 20;
    private const int LongestLife = 24; // in ticks

    private static readonly Flavor<TKey, TValue> Flavor = TKind.Flavor;

    private readonly Random _random = new(seed);
    private readonly HandTime _time = new();
    private Dictionary<TKey, Held> _model = new(Flavor.KeyEquality);
    private Dictionary<TKey, Held> _committed = new(Flavor.KeyEquality);
    private FasterStoreUnderTest<TKey, TValue> _store = null!;
    private ISessionUnderTest<TKey, TValue> _session = null!;
    private int _life; // in ticks; 0: never expires
    private int _step;

    /// <summary>How often operations have found a copy.</summary>
    public long Hits { get; private set; }

    /// <summary>How many records compaction has copied.</summary>
    public long Copied { get; private set; }

    /// <summary>How many values have expired.</summary>
    public long Expired { get; private set; }

    /// <summary>How often the index was halved.</summary>
    public int Shrinks { get; private set; }

    /// <summary>Opens the store a number of times, and plays a number of steps each time.</summary>
    public async Task PlayAsync(int openings, int steps)
    {
        for (int opening = 0; opening < openings; opening++)
        {
            _store = await TKind.OpenAsync(folder, CoherenceShape.Options(cached, _time));
            _session = _store.StartSession();
            _model = new(_committed, Flavor.KeyEquality);
            Bury();
            if (TKind.Expires)
            {
                LiveFor(1 + _random.Next(LongestLife));
                await _time.RestAsync();
            }

            CheckAll();
            await SpillAsync();
            if (opening == 0) await _store.ResizeAsync(grow: false); // never refused here; later it may be
            for (int i = 0; i < steps; i++, _step++)
            {
                if (TKind.Expires) PassTime();
                if (_random.Next(OneChoreIn) == 0) await DoChoreAsync();
                else Operate(Flavor.Key(_random.Next(Keys)));
            }

            CheckAll();
            if (_random.Next(2) == 0) await CommitAsync((CommitKind)_random.Next(3));
            Hits += _store.Statistics.ReadCacheHits;
            Copied += _store.Statistics.RecordsCopied;
            Shrinks += _store.Statistics.IndexShrinks;
            Assert.Null(_store.Statistics.LastFault);
            await _session.DisposeAsync();
            await _store.DisposeAsync();
            _time.Forget();
        }
    }

    private void PassTime()
    {
        if (_random.Next(OneLifeIn) == 0) LiveFor(_random.Next(3) == 0 ? 0 : 1 + _random.Next(LongestLife));
        if (_random.Next(OneTickIn) != 0) return;

        // Reads them, so that there are copies when their records expire.
        TKey[] dying = [.. _model.Where(held => held.Value.Expiry == _time.Passed + 1).Select(held => held.Key)];
        foreach (TKey key in dying) Check(key);
        _time.Advance();
        Bury();
        foreach (TKey key in dying) Check(key);
    }

    private void LiveFor(int ticks)
    {
        _life = ticks;
        CoherenceShape.LiveFor(_session, ticks);
    }

    private void Bury()
    {
        TKey[] dead = [.. _model.Where(held => held.Value.Expiry <= _time.Passed).Select(held => held.Key)];
        foreach (TKey key in dead) _model.Remove(key);
        Expired += dead.Length;
    }

    private long ExpiryOr(long kept) => _life == 0 ? kept : _time.Passed + _life;

    private void Operate(TKey key)
    {
        switch (_random.Next(10))
        {
            case 0:
                Put(key, _random.Next(4) == 0 ? TKind.Enlarged(Flavor.Value(_step)) : Flavor.Value(_step));
                break;
            case 1:
                TValue input = Flavor.Input(_step);
                _model[key] = _model.TryGetValue(key, out Held old)
                    ? new(Flavor.Model.Update(old.Value, input), ExpiryOr(old.Expiry))
                    : new(input, ExpiryOr(long.MaxValue));
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
        switch (_random.Next(TKind.Expires ? 9 : 8))
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
            case 4:
                await CompareScanAsync();
                break;
            case 5:
                StoreStatistics log = _store.Statistics;
                await _store.CompactAsync(
                    log.BeginAddress + (long)((log.TailAddress - log.BeginAddress) * _random.NextDouble()));
                break;
            case 6:
                await TruncateAsync();
                break;
            case 7 when TKind.Expires:
                await ReclaimAsync();
                break;
            default:
                await SpillAsync();
                break;
        }
    }

    // A compaction is followed by a commit.
    private async Task ReclaimAsync()
    {
        long begin = _store.Statistics.BeginAddress;
        await _time.LookAsync();
        if (_store.Statistics.BeginAddress != begin) _committed = new(_model, Flavor.KeyEquality);
    }

    private async Task CommitAsync(CommitKind kind)
    {
        await _store.CommitAsync(kind, _random.Next(3) == 0);
        _committed = new(_model, Flavor.KeyEquality);
    }

    private async Task SpillAsync()
    {
        await CoherenceShape.SpillAsync(_store, Flavor); // with a commit
        _committed = new(_model, Flavor.KeyEquality);
    }

    // Most keys are rewritten above the truncated range, some are not.
    private async Task TruncateAsync()
    {
        await CommitAsync(CommitKind.FoldOver);
        CoherenceShape.Fill(_session, Flavor, _random.Next(1 << 20), CoherenceShape.RecordsOfTwoPages(Flavor));
        long until = _store.Statistics.TailAddress;
        TKey[] gone = [.. _model.Keys.Where(_ => _random.Next(10) == 0)];
        foreach (TKey key in gone) Check(key);
        foreach (TKey key in _model.Keys.Except(gone, Flavor.KeyEquality).ToArray()) Put(key, _model[key].Value);
        await _store.TruncateAsync(until);
        foreach (TKey key in gone)
        {
            _model.Remove(key);
            Check(key);
        }
    }

    private async Task CompareScanAsync()
    {
        var found = new Dictionary<TKey, TValue>(Flavor.KeyEquality);
        await foreach ((TKey key, TValue value) in _store.ScanAsync())
            Assert.True(found.TryAdd(key, value), $"Step {_step}: a scan has found a key twice.");
        for (int i = 0; i < Keys; i++)
        {
            TKey key = Flavor.Key(i);
            bool isFound = found.TryGetValue(key, out TValue? value);
            AssertSame(key, isFound ? new(true, value!) : default, "a scan");
        }
    }

    private void Put(TKey key, TValue value)
    {
        _model[key] = new(value, ExpiryOr(long.MaxValue));
        _session.UpsertNow(key, value);
    }

    // Twice: the second read may find a copy.
    private void Check(TKey key)
    {
        for (int i = 0; i < 2; i++) AssertSame(key, _session.ReadNow(key), "a read");
    }

    private void CheckAll()
    {
        for (int i = 0; i < Keys; i++) Check(Flavor.Key(i));
    }

    private void AssertSame(TKey key, ReadResult<TValue> found, string what)
    {
        bool isThere = _model.TryGetValue(key, out Held expected);
        if (isThere == found.Found && (!isThere || Flavor.Model.Equality.Equals(expected.Value, found.Value))) return;
        string wanted = isThere ? Flavor.Model.Show(expected.Value) : "nothing";
        string seen = found.Found ? Flavor.Model.Show(found.Value) : "nothing";
        Assert.Fail($"Step {_step}, {what}, key {key}: expected {wanted}, found {seen}.");
    }

    private readonly record struct Held(TValue Value, long Expiry);
}
