using System.Buffers;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Large;
using Faster.Operations.Merging;
using Faster.Operations.Waiting;
using Faster.Probes;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Operations.Large;

/// <summary>
/// A new value that does not fit a page. Its fragments are written to the log outside every epoch, before the operation
/// that has made it tries again and links a record to them (docs/internals/large-values.md).
/// </summary>
/// <remarks>
/// The fragments belong to no key and to no version: the value's record decides whether and when the value counts. A
/// merge with a value that expires may need a second value, which replaces the first if the expiring value is dead when
/// the record is linked (<see cref="MergedLink"/>). Not thread-safe: it belongs to one operation.
/// </remarks>
internal sealed class LargeWrite
{
    private readonly byte[]? _basis;   // the old value from which an updater has made this one
    private readonly CancellationToken _cancellation;
    private readonly ReadOnlySequence<byte> _value;
    private ReadOnlySequence<byte> _rest;
    private FragmentWrites.Write? _announced;
    private bool _isEnded;

    /// <summary>Prepares a value that does not depend on the old one.</summary>
    /// <param name="value">The value; it must not change until its record is linked.</param>
    /// <param name="cancellation">Cancels the write while the fragments are being written.</param>
    public LargeWrite(ReadOnlySequence<byte> value, CancellationToken cancellation = default)
    {
        _value = _rest = value;
        _cancellation = cancellation;
    }

    /// <summary>Prepares a value that an updater has made.</summary>
    /// <param name="value">The value.</param>
    /// <param name="basis">The old value from which it was made; null when there was none.</param>
    public LargeWrite(ReadOnlyMemory<byte> value, byte[]? basis)
    {
        _value = _rest = new ReadOnlySequence<byte>(value);
        _basis = basis;
    }

    /// <summary>Whether compaction writes the fragments, on any thread; then the write is not throttled.</summary>
    public bool IsOfCompaction { get; init; }

    /// <summary>All of the value, whose fragments are written or not.</summary>
    public ReadOnlySequence<byte> Value => _value;

    /// <summary>The value that may replace this one, if it does not fit a page either.</summary>
    public LargeWrite? Without { get; private set; }

    /// <summary>The bytes of the old value that are kept to compare it with the old value of a later attempt.</summary>
    public int BasisBytes => _basis?.Length ?? 0;

    /// <summary>Whether the fragments of this value are written.</summary>
    public bool IsWritten => _rest.IsEmpty;

    /// <summary>Whether the fragments of this value are written, and those of <see cref="Without"/>, if any.</summary>
    public bool IsDone => IsWritten && Without is null or { IsDone: true };

    /// <summary>The head that the value's record will hold. Valid once the fragments are written.</summary>
    public LargeHead Head { get; private set; }

    /// <summary>
    /// Whether an updater would make this value now. It has made it from the same old bytes, and that result stays
    /// valid, so the updater is not called again. False once the write has ended: the operation has then made another
    /// value, and its output is that one's.
    /// </summary>
    public bool IsMadeFrom(bool exists, ReadOnlySpan<byte> old) =>
        !_isEnded && (exists ? _basis is not null && old.SequenceEqual(_basis) : _basis is null);

    /// <summary>Prepares the value that may replace this one.</summary>
    /// <param name="value">The value; empty when it fits a page, or there is none.</param>
    public void PrepareWithout(ReadOnlySpan<byte> value)
    {
        if (value.IsEmpty ? Without is null : Without?.IsMadeFrom(true, value) == true) return;
        Without?.End();
        if (value.IsEmpty)
        {
            Without = null;
            return;
        }

        byte[] made = value.ToArray();
        Without = new LargeWrite(made, basis: made) { IsOfCompaction = IsOfCompaction };
    }

    /// <summary>
    /// Whether fragments must still be written: not all are, or the log is being truncated where the first of them
    /// lies; then all are written again. Called in the epoch in which the record is linked.
    /// </summary>
    public bool IsLackingUnderEpoch(RecordAllocator log)
    {
        Probe.Point(ProbePoint.RegionMarker);
        bool isGivenUp = IsWritten && Head.Lowest < ((PagedLog)log).Writes.Floor
            && !(Probe.On && Probe.Has(SeededBug.HeadIgnoresFloor));
        if (isGivenUp) _rest = _value;
        _ = Without?.IsLackingUnderEpoch(log);
        return !IsDone;
    }

    /// <summary>Writes the fragments; waits for log space.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    public void Write(Tier tier, ulong hash)
    {
        if (!IsWritten) WriteOwn(tier, hash);
        if (Without is { IsDone: false } other) other.Write(tier, hash);
    }

    private void WriteOwn(Tier tier, ulong hash)
    {
        using FragmentWriter writer = tier.WriteFragments(hash);
        var stall = new StallTimeout(tier);
        for (Announce(tier.PagedLog!); !IsWritten;)
        {
            if (TryStep(writer))
            {
                stall = new StallTimeout(tier);
                continue;
            }

            tier.Log.WaitForSpace();
            stall.Check(Outcome.AllocationFailed);
        }
    }

    /// <summary>Writes the fragments; waits for log space without a thread.</summary>
    /// <exception cref="StorageException">The log's memory is full and can't be written to disk.</exception>
    /// <exception cref="OperationCanceledException">The write was canceled: nothing of it is visible.</exception>
    public async Task WriteAsync(Tier tier, ulong hash)
    {
        if (!IsWritten) await WriteOwnAsync(tier, hash).Here();
        if (Without is { IsDone: false } other) await other.WriteAsync(tier, hash).Here();
    }

    private async Task WriteOwnAsync(Tier tier, ulong hash)
    {
        using FragmentWriter writer = tier.WriteFragments(hash);
        for (Announce(tier.PagedLog!); !IsWritten;)
        {
            _cancellation.ThrowIfCancellationRequested();
            if (!TryStep(writer)) await tier.SpaceAsync(_cancellation).Here();
        }
    }

    /// <summary>Registers the write of all fragments, before the first one is written.</summary>
    public void Announce(PagedLog log)
    {
        _announced?.End();
        _announced = log.Writes.Begin(log.TailAddress);
    }

    /// <summary>Writes one fragment.</summary>
    /// <returns>False when no page frame is free.</returns>
    public bool TryStep(FragmentWriter writer)
    {
        bool passed = TailThrottle.Pass(IsOfCompaction);
        int taken;
        try
        {
            taken = writer.TryPrepend(_rest);
        }
        finally
        {
            _ = TailThrottle.Pass(passed);
        }

        if (taken == 0) return false;
        _announced!.Move(writer.Head.Lowest);
        _rest = _rest.Slice(0, _rest.Length - taken);
        if (IsWritten) Head = writer.Head;
        return true;
    }

    /// <summary>Ends the registration: the record is linked, or will not be. Idempotent; takes no lock.</summary>
    public void End()
    {
        _isEnded = true;
        _announced?.End();
        Without?.End();
    }
}
