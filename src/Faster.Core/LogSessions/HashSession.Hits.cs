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
/// <remarks>
/// What is not inlined gets a copy of the operation, by value, and returns what the caller looks at: with its address
/// passed on, a hit could not have the operation in registers.
/// </remarks>
public abstract partial class HashSession
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe Status Execute<TAlgorithm, TKey, TOperation>(scoped TKey key, ref TOperation operation)
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

        if (view->Slot.Epoch != 0) SessionMisuse.ThrowInUse(this);
        if (TOperation.RunsUserCode
            ? TryGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)
            : TryQuiet<TAlgorithm, TKey, TOperation>(view, key, ref operation)) return Status.Ok;
        if (!TOperation.IsReturned)
            return ExecuteAgain<TAlgorithm, TKey, TOperation, ReturnedStatus<TOperation>>(view, key, operation).Status;
        Returned<TOperation> returned =
            ExecuteAgain<TAlgorithm, TKey, TOperation, Returned<TOperation>>(view, key, operation);
        operation = returned.Operation;
        return returned.Status;
    }

    private unsafe bool TryGuarded<TAlgorithm, TKey, TOperation>(
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

    // If it returns false in a quiet epoch, the epoch stays announced: what is tried next continues in it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe bool TryQuiet<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        long quiet = TAlgorithm.Mutates ? view->UpdateQuiet
            : TOperation.RunsUserCode ? view->GuardedQuiet
            : view->ReadQuiet;
        if (!EpochTable.TryEnterQuiet(&view->Slot, quiet)) return false;
        ulong hash = view->HashOf(key);
        if (!view->TryFind(hash, TAlgorithm.Mutates, out byte* record, out long address)) return false;
        if (!TAlgorithm.TryHit(_attempt, view, key, record, address, ref operation)) return false;
        LeaveDone(view, quiet);
        return true;
    }

    // A hit on a word that expires, without its latch; a method of its own, so that hits on others stay short. The rest
    // of it are calls at its end, so that it saves few registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteAgain<TAlgorithm, TKey, TOperation, TReturned>(
        QuietView* view, scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        RecentTime* time = view->Time;
        long quiet = view->Slot.Quiet;
        if (TOperation.RunsUserCode || time == null || !time->IsRecent
            || !EpochTable.TryEnterQuiet(&view->Slot, quiet)
            || !view->TryFind(view->HashOf(key), TAlgorithm.Mutates, out byte* record, out _)
            || !TAlgorithm.TryHitUnlatched(view, time, key, record, ref operation))
        {
            return ExecuteFurther<TAlgorithm, TKey, TOperation, TReturned>(view, key, operation);
        }

        if (!TryLeaveDone(view, quiet)) return LeaveLate<TOperation, TReturned>(quiet, operation);
        GC.KeepAlive(this); // the slot is this session's
        return TReturned.Of(operation, Status.Ok);
    }

    // By a thread that does not keep the session, or calls from elsewhere on its stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteClaimed<TAlgorithm, TKey, TOperation, TReturned>(
        scoped TKey key, TOperation operation, nint page)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        using SessionGate.Call call = BeginAnyCall();
        Gate.Keep(page);
        QuietView* view = QuietView.Of(Slot);
        return TryGuarded<TAlgorithm, TKey, TOperation>(view, key, ref operation)
            ? TReturned.Of(operation, Status.Ok)
            : ExecuteAgain<TAlgorithm, TKey, TOperation, TReturned>(view, key, operation);
    }

    // All other ways in the quiet epoch. A copy of the operation is passed on by address, so that a hit in the second
    // bucket has it in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TReturned ExecuteFurther<TAlgorithm, TKey, TOperation, TReturned>(
        QuietView* view, scoped TKey key, TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TReturned : struct, IReturned<TReturned, TOperation>
    {
        TOperation further = operation;
        long quiet = view->Slot.Quiet;
        if (EpochTable.TryEnterQuiet(&view->Slot, quiet))
        {
            if (TOperation.RunsUserCode || view->HasExpiring)
            {
                if (TryFurther<TAlgorithm, TKey, TOperation>(view, key, ref further, out Status found))
                {
                    LeaveDone(view, quiet);
                    return TReturned.Of(further, found);
                }
            }
            else if (SecondLook.TryChain<TAlgorithm, TKey, TOperation>(
                _attempt, view, key, view->HashOf(key), ref operation, out Status status))
            {
                LeaveDone(view, quiet);
                return TReturned.Of(operation, status);
            }
        }

        Status last = ExecuteLast<TAlgorithm, TKey, TOperation>(view, key, ref further);
        return TReturned.Of(further, last);
    }

    // What may run user code: the user's functions, or the provider of the time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe bool TryFurther<TAlgorithm, TKey, TOperation>(
        QuietView* view, scoped TKey key, ref TOperation operation, out Status status)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        try
        {
            bool isMarked = view->HasExpiring && (TOperation.RunsUserCode || _attempt.Clock.RunsUserCode);
            using UserCode.Scope inside = isMarked ? UserCode.Enter(Mark) : default;
            status = Status.Ok;
            ulong hash = view->HashOf(key);
            return (view->HasExpiring && view->TryFind(hash, TAlgorithm.Mutates, out byte* record, out long address)
                    && SecondLook.TryExpiring<TAlgorithm, TKey, TOperation>(
                        _attempt, view, key, record, address, TOperation.RunsUserCode, ref operation))
                || SecondLook.TryChain<TAlgorithm, TKey, TOperation>(
                    _attempt, view, key, hash, ref operation, out status);
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
        ulong hash = key.Hash(_attempt.Tier.Seed);
        using SessionGate.Call call = ContinueAsCall(&view->Slot);
        if (!Epochs.IsQuiet(Slot->Epoch)) Epochs.Refresh(Slot);
        Outcome outcome = Runner.TryEntered<TAlgorithm, TKey, TOperation>(Slot, key, hash, ref operation, null);
        Status status = outcome <= Outcome.NotFound
            ? (Status)(int)outcome
            : Runner.RetryUntilDone<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome);
        return Runner.Acknowledgment is { } acknowledgment
            ? acknowledgment.Await<TAlgorithm, TKey, TOperation>(key, hash, ref operation, status)
            : status;
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
}
