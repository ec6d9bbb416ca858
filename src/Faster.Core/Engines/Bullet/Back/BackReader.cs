using Faster.Persistence;
using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>Reads of one part by threads that do not hold it.</summary>
/// <remarks>
/// <para>A reader walks a bucket and copies what it finds while a batch may go on, and then looks whether the words
/// have changed since it began. If so, what it has may be nonsense, and it reads again; at last it takes the lock,
/// beside which no word changes.</para>
/// <para>Proof that what it returns was so at one moment: words change under the lock only, so those that it has read
/// are of one state. Blocks that they lead to were written before. A batch writes directly into blocks that were free
/// after the batch before it: if one of these was reachable when the reader began, the words of a batch have been
/// stored since, and the reader finds the lock changed. ∎</para>
/// <para>Nonsense leads nowhere: an offset is checked against the region before it is followed, lengths are read once
/// and checked before they are used, and the number of steps has a bound. The region stays mapped.</para>
/// <para>Thread-safe: no state of its own.</para>
/// </remarks>
internal sealed unsafe class BackReader
{
    private const int Attempts = 64, StepsBetweenLooks = 64;

    private readonly string _name;
    private readonly byte* _bytes;
    private readonly long _length, _page;
    private readonly LoadDelay _loads;
    private readonly SequenceLock _lock;

    /// <summary>The reader of a part.</summary>
    public BackReader(PersistentRegion region, long page, SequenceLock @lock)
    {
        _bytes = region.Pointer;
        (_name, _length, _loads) = (region.Name, region.Length, region.Loads);
        (_page, _lock) = (page, @lock);
    }

    private enum Outcome
    {
        Found,
        Absent,
        Nonsense,
    }

    /// <summary>Copies what a key has.</summary>
    /// <returns>Whether it has a value.</returns>
    /// <exception cref="DamagedDataException">An offset leads to no entry.</exception>
    public bool TryRead(ulong hash, ReadOnlySpan<byte> key, BackValue value)
    {
        var spin = new SpinWait();
        for (int i = 0; i < Attempts; i++)
        {
            long seen = _lock.Read();
            if (!SequenceLock.IsHeld(seen))
            {
                Outcome outcome = Walk(hash, key, value, seen);
                if (IsOneState(seen)) return Check(outcome);
            }

            SequenceLock.Wait(ref spin);
        }

        long held = _lock.Enter();
        try
        {
            return Check(Walk(hash, key, value, held));
        }
        finally
        {
            _lock.Exit();
        }
    }

    private bool Check(Outcome outcome)
    {
        if (outcome == Outcome.Nonsense) BackLayout.ThrowDamaged(_name, _page, "an offset leads to no entry");
        return outcome == Outcome.Found;
    }

    private Outcome Walk(ulong hash, ReadOnlySpan<byte> key, BackValue value, long seen)
    {
        value.Clear();
        long count = Word(_page + BackLayout.BucketsAt);
        if (count is < BackLayout.FirstBuckets or > BackLayout.MaxBuckets) return Outcome.Nonsense;
        long bucket = BackBuckets.BucketOf(hash, count);
        (int segment, long first) = BackBuckets.SegmentOf(bucket);
        long head = Word(_page + BackLayout.SegmentsAt + (segment * sizeof(long))) + ((bucket - first) * sizeof(long));
        if (!BackLayout.IsInside(head, sizeof(long), _length)) return Outcome.Nonsense;
        _loads.Wait();
        long at = Word(head), most = Word(_page + BackLayout.EntriesAt) + Word(_page + BackLayout.TombstonesAt);
        for (long steps = 0; at != 0; steps++)
        {
            if (!BackLayout.IsInside(at, BackEntry.HeaderBytes, _length) || steps > most) return Outcome.Nonsense;
            if (steps % StepsBetweenLooks == StepsBetweenLooks - 1 && !_lock.IsUnchanged(seen)) return Outcome.Nonsense;
            _loads.Wait();
            var entry = new BackEntry(_bytes + at);
            if (!entry.IsInside(at, _length)) return Outcome.Nonsense;
            if (entry.Hash == hash && entry.Key.SequenceEqual(key)) return Copy(entry, value, seen);
            at = Word(at + BackEntry.NextAt);
        }

        return Outcome.Absent;
    }

    private Outcome Copy(BackEntry entry, BackValue value, long seen)
    {
        ReadOnlySpan<byte> bytes = entry.Value;
        if (!value.Fits(bytes.Length) && !IsOneState(seen)) return Outcome.Nonsense; // a length to allocate for
        value.Counter = entry.Counter;
        if (entry.IsTombstone) return Outcome.Absent;
        value.Set(bytes);
        return Outcome.Found;
    }

    private bool IsOneState(long seen) =>
        _lock.IsUnchanged(seen) || (Probe.On && Probe.Has(SeededBug.ReadOfTwoStates));

    private long Word(long offset)
    {
        Probe.Point(ProbePoint.BackRead);
        return Volatile.Read(ref *(long*)(_bytes + offset));
    }
}
