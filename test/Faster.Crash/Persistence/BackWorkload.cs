using Faster.Contracts;
using Faster.Engines.Bullet.Back;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// One life of Bullet's back: batches of both parts, roots and sweeps on one thread, so that a power cut can come
/// between any two steps. While a fence runs, the other part goes on.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class BackWorkload : IDisposable
{
    private static readonly int[] Lengths = [0, 20, 20, 60, 100, 300, 700, 5000, 40_000];

    private readonly BackTable _table;
    private readonly BackModel _model;
    private readonly Random _random;
    private readonly Action _afterStep;
    private readonly bool[] _isBusy = new bool[BackModel.Shape.Parts];
    private readonly int _lengths; // how many of those are drawn
    private long _counter;
    private readonly bool _isOpen; // the steps below come while it is false, too
    private bool _isInRoot;

    /// <summary>Begins a life.</summary>
    /// <param name="region">The bytes, of zeros or of an earlier life.</param>
    /// <param name="model">What was changed before; goes on with this life.</param>
    /// <param name="random">Chooses the steps.</param>
    /// <param name="life">The life's number: later ones have higher numbers of changes.</param>
    /// <param name="afterStep">Called where a power cut may come, also while the table is opened.</param>
    public BackWorkload(PersistentRegion region, BackModel model, Random random, int life, Action afterStep)
    {
        (_model, _random, _afterStep, _counter) = (model, random, afterStep, (long)life << 20);
        _lengths = random.Next(3, Lengths.Length + 1);
        _table = BackModel.Open(new SteppedRegion(region, BesideFence, AfterFlush));
        _isOpen = true;
    }

    /// <summary>Makes some steps.</summary>
    public void Run(int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            Work();
            _afterStep();
        }
    }

    public void Dispose() => _table.Dispose();

    private void Work()
    {
        if (_random.Next(12) == 0) WriteRoot();
        int part = _random.Next(_isBusy.Length);
        if (_isBusy[part]) return;
        _isBusy[part] = true;
        long round = _table.Root.Round;
        using (BackBatch batch = _table.Parts[part].Begin(round))
        {
            try
            {
                for (int batches = _random.Next(1, 4); batches > 0 && Change(batch, part, round); batches--) { }
            }
            catch (LimitExceededException)
            {
                // The batch is dropped.
            }
        }

        _isBusy[part] = false;
    }

    private bool Change(BackBatch batch, int part, long round)
    {
        var after = new Dictionary<long, BackState>(_model.Committed(part));
        long[] keys = BackModel.KeysOf(part);
        for (int changes = _random.Next(1, 9); changes > 0; changes--)
        {
            long key = keys[_random.Next(keys.Length)], counter = ++_counter;
            int length = Lengths[_random.Next(_lengths)];
            bool isRemoval = _random.Next(4) == 0;
            BackChange change = isRemoval
                ? batch.TryRemove(BackModel.HashOf(key), BackModel.KeyOf(key), counter)
                : batch.TryPut(
                    BackModel.HashOf(key), BackModel.KeyOf(key), BackModel.ValueOf(counter, length), counter);
            if (change == BackChange.Full) break;
            after[key] = new BackState(counter, !isRemoval, isRemoval ? 0 : length, round);
        }

        if (_random.Next(4) == 0) _ = batch.TrySweep(_random.Next(BackLayout.FirstBuckets));
        if (_random.Next(10) == 0) return false; // dropped
        _model.Begin(part, after);
        batch.Commit();
        _model.End(part);
        return true;
    }

    private void WriteRoot()
    {
        if (_isInRoot) return;
        _isInRoot = true;
        long round = _table.Root.Round + 1;
        _model.BeginRoot(round);
        _table.WriteRoot(_table.Root with { Round = round });
        _model.EndRoot();
        _isInRoot = false;
    }

    private void BesideFence()
    {
        _afterStep();
        if (_isOpen && _random.Next(3) == 0) Work();
    }

    private void AfterFlush()
    {
        if (_random.Next(4) == 0) _afterStep();
    }
}
