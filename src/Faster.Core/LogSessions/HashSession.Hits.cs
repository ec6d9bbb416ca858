using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Expiry;
using Faster.Operations;
using Faster.Sessions;

namespace Faster.LogSessions;

/// <summary>
/// How an operation is tried: as a hit, further ways in the same quiet epoch, then by its algorithm
/// (docs/internals/hit-path.md).
/// </summary>
public abstract partial class HashSession
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Status Execute<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation => TOperation.RunsUserCode
            ? ExecuteGuarded<TAlgorithm, TKey, TOperation>(key, ref operation)
            : ExecutePlainly<TAlgorithm, TKey, TOperation>(key, ref operation);

    private unsafe Status ExecuteGuarded<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        nint page = CallerThread.StackPage;
        QuietView* view = QuietView.Of(Slot);
        if (view->Slot.Home != page)
            return ExecuteClaimed<TAlgorithm, TKey, TOperation>(key, ref operation, page);
        if (view->Slot.Epoch != 0) SessionMisuse.ThrowInUse(Name);
        if (TryQuietGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        return ExecuteFurther<TAlgorithm, TKey, TOperation>(view, key, ref operation);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryQuietGuarded<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            return TryQuiet<TAlgorithm, TKey, TOperation>(view, key, ref operation);
        }
        catch
        {
            Runner.Abandon();
            throw;
        }
    }

    // The long way gets a copy of the operation, so that a hit has it in registers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe Status ExecutePlainly<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        nint page = CallerThread.StackPage;
        QuietView* view = QuietView.Of(Slot);
        if (view->Slot.Home != page)
        {
            if (!TOperation.IsReturned)
            {
                return ExecuteClaimed<TAlgorithm, TKey, TOperation, ReturnedStatus<TOperation>>(key, operation, page)
                    .Status;
            }

            Returned<TOperation> claimed =
                ExecuteClaimed<TAlgorithm, TKey, TOperation, Returned<TOperation>>(key, operation, page);
            operation = claimed.Operation;
            return claimed.Status;
        }

        if (view->Slot.Epoch != 0) SessionMisuse.ThrowInUse(Name);
        if (TryQuiet<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        if (!TOperation.IsReturned)
        {
            return ExecuteUnlatched<TAlgorithm, TKey, TOperation, ReturnedStatus<TOperation>>(view, key, operation)
                .Status;
        }

        Returned<TOperation> returned =
            ExecuteUnlatched<TAlgorithm, TKey, TOperation, Returned<TOperation>>(view, key, operation);
        operation = returned.Operation;
        return returned.Status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TReturned ExecuteClaimed<TAlgorithm, TKey, TOperation, TReturned>(
        scoped TKey key, TOperation operation, nint page)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        Status status = ExecuteClaimed<TAlgorithm, TKey, TOperation>(key, ref operation, page);
        return TReturned.Of(operation, status);
    }

    // By a thread that does not keep the session, or calls from elsewhere on its stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe Status ExecuteClaimed<TAlgorithm, TKey, TOperation>(
        scoped TKey key, ref TOperation operation, nint page)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        using SessionGate.Call call = BeginAnyCall();
        Gate.Keep(page);
        QuietView* view = QuietView.Of(Slot);
        if (TryQuietGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        return ExecuteFurther<TAlgorithm, TKey, TOperation>(view, key, ref operation);
    }

    // If it returns false in a quiet epoch, the epoch stays announced: what is tried next continues in it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryQuiet<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = TAlgorithm.Mutates ? view->UpdateQuiet : view->ReadQuiet;
        if (!EpochTable.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = view->HashOf(key);
        if (!view->TryFind(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHit(_attempt, view, key, record, address, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // The same for all that expires, and records beside it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryExpiring<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, bool judges, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = view->Slot.Quiet;
        if (!EpochTable.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = view->HashOf(key);
        if (!view->TryFind(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHitExpiring(_attempt, view, key, record, address, judges, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // Whether the session is still in the quiet epoch in which its operation was no hit; never if it is closed.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool IsInQuiet(QuietView* view, out long quiet)
    {
        quiet = view->Slot.Epoch;
        return quiet == view->Slot.Quiet && EpochTable.CurrentFor(&view->Slot) == quiet;
    }

    // The same for a key whose entry is in the second bucket of its chain: one in a hundred in an index half full, one
    // in thirteen before it doubles (docs/internals/hit-path.md).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryOverflow<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!IsInQuiet(view, out long quiet)) return false;
        ulong hash = view->HashOf(key);
        if (!view->TryFindNext(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHit(_attempt, view, key, record, address, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // Counts the operation and leaves its epoch.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe void LeaveDone(QuietView* view, long quiet)
    {
        if (!TryLeaveDone(view, quiet)) DrainAfter(quiet);
        else GC.KeepAlive(this); // the slot is this session's
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryLeaveDone(QuietView* view, long quiet)
    {
        view->Slot.Serial = view->Slot.Serial + 1; // not ++, which forms the address first
        return EpochTable.TryLeave(&view->Slot, quiet);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DrainAfter(long left) => Epochs.DrainAfter(left);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TReturned LeaveLate<TOperation, TReturned>(long left, TOperation operation)
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        Epochs.DrainAfter(left);
        return TReturned.Of(operation, Status.Ok);
    }

    // A hit on a word that expires, without its latch; its own method, so that hits on others stay short. What else is
    // in it are calls at its end, so that it saves few registers. No address of the caller's: it could not have the
    // operation in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteUnlatched<TAlgorithm, TKey, TOperation, TReturned>(
        QuietView* view, scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        RecentTime* time = view->Time;
        if (time == null) return ExecuteOverflow<TAlgorithm, TKey, TOperation, TReturned>(view, key, operation);
        long quiet = view->Slot.Quiet;
        if (!TryUnlatched<TAlgorithm, TKey, TOperation>(view, time, quiet, key, ref operation))
            return ExecuteLatched<TAlgorithm, TKey, TOperation, TReturned>(view, key, operation);
        if (!TryLeaveDone(view, quiet)) return LeaveLate<TOperation, TReturned>(quiet, operation);
        GC.KeepAlive(this); // the slot is this session's
        return TReturned.Of(operation, Status.Ok);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteOverflow<TAlgorithm, TKey, TOperation, TReturned>(
        QuietView* view, scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        if (TryOverflow<TAlgorithm, TKey, TOperation>(view, key, ref operation))
            return TReturned.Of(operation, Status.Ok);
        TOperation further = operation;
        Status status = ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref further);
        return TReturned.Of(further, status);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteLatched<TAlgorithm, TKey, TOperation, TReturned>(
        QuietView* view, scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        bool isRecent = _attempt.Clock.IsRecent, isPlain = !TAlgorithm.Mutates || view->UpdateQuiet != 0;
        if (isRecent && TryExpiring<TAlgorithm, TKey, TOperation>(view, key, judges: false, ref operation))
            return TReturned.Of(operation, Status.Ok);
        if (isPlain && TryOverflow<TAlgorithm, TKey, TOperation>(view, key, ref operation))
            return TReturned.Of(operation, Status.Ok);
        TOperation further = operation;
        Status status = isRecent
            ? ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref further)
            : ExecuteExpiring<TAlgorithm, TKey, TOperation>(view, key, ref further);
        return TReturned.Of(further, status);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe bool TryUnlatched<TAlgorithm, TKey, TOperation>(
        QuietView* view, RecentTime* time, long quiet, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!time->IsRecent || !EpochTable.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = view->HashOf(key);
        if (!view->TryFind(hash, TAlgorithm.Mutates, out byte* record, out _)) return false;
        if (!TAlgorithm.TryHitUnlatched(view, time, key, record, ref operation)) return false;
        return true;
    }

    private unsafe Status ExecuteFurther<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (TryFurtherGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        return view->HasExpiring
            ? ExecuteExpiring<TAlgorithm, TKey, TOperation>(view, key, ref operation)
            : ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref operation);
    }

    private unsafe Status ExecuteExpiring<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation =>
        TryExpiringGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)
            ? Status.Ok
            : ExecuteAbsent<TAlgorithm, TKey, TOperation>(view, key, ref operation);

    // A load would teach tiered compilation that nothing is ever linked: what it learns first, it keeps.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private unsafe Status ExecuteAbsent<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (!TAlgorithm.Mutates && TryAbsent(view, key)) return Status.NotFound;
        if (TAlgorithm.Mutates && TryLink<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        return ExecuteLast<TAlgorithm, TKey, TOperation>(view, key, ref operation);
    }

    // A blind update of a record that is not updated in place.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryLink<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        if (view->UpdateQuiet == 0 || !IsInQuiet(view, out long quiet)) return false;
        if (!TAlgorithm.TryLink(_attempt, view, key, view->HashOf(key), ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // Reads a key of whose hash the index knows nothing. A tier below may know it.
    private unsafe bool TryAbsent<TKey>(QuietView* view, scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (_tier.Below is not null || !IsInQuiet(view, out long quiet)) return false;
        if (!view->IsAbsent(view->HashOf(key))) return false;
        LeaveDone(view, quiet);
        return true;
    }

    private unsafe bool TryFurtherGuarded<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            if (!view->HasExpiring) return TryOverflow<TAlgorithm, TKey, TOperation>(view, key, ref operation);
            long quiet = view->Slot.Quiet;
            if (!TryUnlatched<TAlgorithm, TKey, TOperation>(view, view->Time, quiet, key, ref operation)) return false;
            LeaveDone(view, quiet);
            return true;
        }
        catch
        {
            Runner.Abandon();
            throw;
        }
    }

    private unsafe bool TryExpiringGuarded<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            using UserCode.Scope inside = UserCode.Enter(Mark);
            return TryExpiring<TAlgorithm, TKey, TOperation>(view, key, judges: true, ref operation);
        }
        catch
        {
            Runner.Abandon();
            throw;
        }
    }

    // All operations that are not hits. The hash is computed again: keeping it would slow down hits.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe Status ExecuteLast<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        ulong hash = key.Hash(_seed);
        using SessionGate.Call call = ContinueAsCall(&view->Slot);
        if (!Epochs.IsQuiet(Slot->Epoch)) Epochs.Refresh(Slot);
        Outcome outcome = Runner.TryEntered<TAlgorithm, TKey, TOperation>(Slot, key, hash, ref operation, null);
        return outcome <= Outcome.NotFound
            ? (Status)(int)outcome
            : Runner.RetryUntilDone<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome);
    }
}
