using Faster.Chains;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Large;
using Faster.Operations.Merging;
using Faster.Probes;
using Faster.Tiers;

namespace Faster.Operations;

/// <remarks>
/// Where values are merged (paper 000 §6.3, Table 2; docs/internals/merging.md): a delta, from the input alone, where
/// the old value is not in memory, or a whole value from all that the key has.
/// </remarks>
internal unsafe ref partial struct RmwAttempt<TKey, TMode, TEntries, TOperation>
{
    /// <summary>Makes a delta from the input alone, which is linked in front of whatever the key has.</summary>
    private Outcome BeginDelta()
    {
        _search.Attempt.Large.Drop(); // made from another basis; a delta fits into a page
        _search.Operation.InitialUpdate(_search.Attempt.Buffer);
        _result.Flags = RecordHeader.Delta;
        return Outcome.Ok;
    }

    /// <summary>
    /// Takes the latch of the delta that was found, of the version being committed, so that it is sealed when another
    /// one is linked in front of it: readers need not wait until its page is read-only.
    /// </summary>
    private bool TryHoldDelta()
    {
        ref ChainPosition at = ref _search.At;
        if (!_search.Attempt.TryLatch(_search.Record, out at.Header)) return false;
        at.Record = _search.Record;
        (at.Address, _search.Header) = (_search.Address, at.Header);
        at.Value = at.Record + RecordHeader.Size + _search.Key.SlotSize;
        return at.IsDelta && (at.Header & RecordHeader.Sealed) == 0;
    }

    /// <summary>
    /// Makes the new value in front of the immutable delta that was found: a whole one, if all values are in memory or
    /// have been read; otherwise another delta, until there are too many of them.
    /// </summary>
    /// <remarks>A copy of the delta would count twice: the new record does not replace it.</remarks>
    private Outcome MakeFromDelta()
    {
        Attempt attempt = _search.Attempt;
        if (Probe.On && Probe.Has(SeededBug.DeltaCopied))
        {
            byte* slot = _search.Record + RecordHeader.Size + _search.Key.SlotSize;
            _search.Operation.CopyUpdate(RecordValue<TOperation>.At(slot), attempt.Buffer);
            _result.Flags = RecordHeader.Delta;
            return Outcome.Ok;
        }

        Outcome end = _search.CollectInMemory(isHeld: true);
        if (end == Outcome.Retry) return BeginDelta();
        if (end == Outcome.Below) end = _search.AddBase(MayLag);
        else if (end == Outcome.OnDisk)
        {
            if (_search.FindOnDisk(mayLag: false) == Outcome.OnDisk)
                return HasTooMany() && _search.Disk is null ? end : BeginDelta();
            end = _search.CollectOnDisk(MayLag);
        }

        return Collapse(end);
    }

    /// <summary>
    /// Makes a whole value from all values of the key. If their base is lacked, which is below, a delta serves as well
    /// if there are few of them, or if the base has changed since it was read.
    /// </summary>
    private Outcome Collapse(Outcome collected)
    {
        Attempt attempt = _search.Attempt;
        if (_search.Found.IsBelow && collected is (Outcome.OnDisk or Outcome.EntryOnDisk or Outcome.Large))
        {
            bool hasChanged = collected == Outcome.OnDisk && _search.Disk?.Below is { ChainStart: not 0 };
            return HasTooMany() && !hasChanged ? collected : BeginDelta();
        }

        if (collected != Outcome.Ok) return collected;
        DeltaValues deltas = attempt.Deltas;
        if (deltas.MayLoseWhole && attempt.IsJournaled) return BeginDelta(); // only one value can be published
        if (deltas.MayLoseWhole)
        {
            deltas.MergeWithoutWhole(ref _search.Operation);
            _result.MergedUntil(deltas.WholeExpiry);
        }

        _ = Update(exists: true, deltas.Merge(ref _search.Operation));
        if (TOperation.ValueSize != 0 || !deltas.MayLoseWhole) return Outcome.Ok;
        bool isOversized = LargeValues.IsOversized(attempt, _search.Key.SlotSize, deltas.WithoutWhole.Length);
        if (attempt.Large.Prepared is { } prepared)
        {
            prepared.PrepareWithout(isOversized ? deltas.WithoutWhole : default);
        }
        else if (isOversized)
        {
            // With the old value it is shorter than without: rare, and one more delta serves as well.
            _result.Forget();
            attempt.Buffer.Clear();
            return BeginDelta();
        }

        return Outcome.Ok;
    }

    private readonly bool HasTooMany()
    {
        Attempt attempt = _search.Attempt;
        return attempt.Deltas.Deltas >= CollapseHints.Bound || attempt.Merges.MustCollapse(_search.Hash);
    }
}
