using System.Diagnostics.CodeAnalysis;
using Faster.Persistence;
using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>A part of the back: one thread at a time changes it, any number read it beside.</summary>
/// <remarks>
/// <para>It shares nothing with other parts: redo slots, heap and buckets are its own, in bytes of its own.</para>
/// <para>Thread-safe. A holder keeps the part through the fences of its batches; readers wait for none of them.</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "To dispose of its batch is to release the part.")]
internal sealed class BackPart
{
    private readonly object _gate = new();
    private readonly RedoSlots _redo;
    private readonly BackReader _reader;
    private readonly BackBatch _batch;
    private bool _isHeld;

    /// <summary>A part of a region that has a header.</summary>
    /// <param name="region">The region.</param>
    /// <param name="header">Its header.</param>
    /// <param name="number">The part's number.</param>
    /// <param name="lengths">The region's length after it was made, and after each growth.</param>
    public BackPart(PersistentRegion region, BackHeader header, int number, ReadOnlySpan<long> lengths)
    {
        Space = new PartSpace(header.Shape, number, lengths);
        _redo = new RedoSlots(region, Space, header, number);
        _reader = new BackReader(region, Space.Page, Lock);
        _batch = new BackBatch(this, region, Space, header.Shape.WithRedo ? _redo : null, _redo.Capacity);
    }

    /// <summary>Where it lies.</summary>
    public PartSpace Space { get; }

    /// <summary>Held while the words of a batch are stored.</summary>
    public SequenceLock Lock { get; } = new();

    /// <inheritdoc cref="RedoSlots.FlushNext"/>
    public void FlushNext() => _redo.FlushNext();

    /// <summary>Stores the last batch once more; the caller fences before anything else.</summary>
    /// <inheritdoc cref="RedoSlots.Recover"/>
    public void Recover() => _redo.Recover();

    /// <summary>Takes in areas that are new, and makes the first buckets.</summary>
    public void Prepare()
    {
        using BackBatch batch = Begin(0);
        batch.Prepare(Space.Areas);
    }

    /// <summary>Makes the caller the holder; waits while another one is.</summary>
    /// <param name="round">The current round.</param>
    public BackBatch Begin(long round)
    {
        while (!TryHold())
        {
            if (Probe.On && Probe.Wait(() => !Volatile.Read(ref _isHeld))) continue;
            lock (_gate)
            {
                while (_isHeld) Monitor.Wait(_gate);
            }
        }

        return _batch.Begin(round);
    }

    /// <summary>Makes the caller the holder, unless another one is.</summary>
    /// <inheritdoc cref="Begin"/>
    public BackBatch? TryBegin(long round) => TryHold() ? _batch.Begin(round) : null;

    /// <summary>Called by the holder's batch.</summary>
    public void Release()
    {
        Probe.Point(ProbePoint.BackPart);
        lock (_gate)
        {
            _isHeld = false;
            Monitor.Pulse(_gate);
        }
    }

    /// <inheritdoc cref="BackReader.TryRead"/>
    public bool TryRead(ulong hash, ReadOnlySpan<byte> key, BackValue value) => _reader.TryRead(hash, key, value);

    private bool TryHold()
    {
        Probe.Point(ProbePoint.BackPart);
        lock (_gate)
        {
            if (_isHeld) return false;
            return _isHeld = true;
        }
    }
}
