using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines.Transactional.Running;
using Faster.Epochs;
using Faster.Operations;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>Transactions over several records.</summary>
public unsafe partial class TransactionalSession
{
    /// <inheritdoc/>
    protected internal TransactionStatus Run<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        nint page = CallerThread.StackPage;
        QuietView* view = QuietView.Of(Slot);
        if (view->Slot.Home != page) return RunClaimed<TKey, TKeys, TTransaction>(ref keys, ref transaction, page);
        if (view->Slot.Epoch != 0) SessionMisuse.ThrowInUse(this);
        Hit hit = Hit.None;
        if (IsHit<TKey, TKeys, TTransaction>())
        {
            hit = TryHit<TKey, TKeys, TTransaction>(view, ref keys, ref transaction, out TransactionStatus status);
            if (hit == Hit.Done) return status;
        }

        return RunQuietly<TKey, TKeys, TTransaction>(&view->Slot, ref keys, ref transaction, hit);
    }

    // By a thread that does not keep the session, or calls from elsewhere on its stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TransactionStatus RunClaimed<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction, nint page)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        using SessionGate.Call call = BeginCall();
        Gate.Keep(page);
        TransactionStatus status = RunInCall<TKey, TKeys, TTransaction>(ref keys, ref transaction);
        return _redo is null ? status : Acknowledged(ref transaction, status);
    }

    // One attempt in the quiet epoch, which a hit may have entered; further ones within a call.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TransactionStatus RunQuietly<TKey, TKeys, TTransaction>(
        EpochSlot* slot, scoped ref TKeys keys, ref TTransaction transaction, Hit hit)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        Outcome outcome = hit == Hit.Refused ? Outcome.Retry : Outcome.Ok;
        if (outcome == Outcome.Ok && EpochTable.TryEnterQuiet(slot))
        {
            PrepareEntered<TKey, TKeys>(slot, ref keys);
            int unlocked = TKeys.IsReadOnly ? UnlockedReads : 0;
            outcome = TryEntered<TKey, TKeys, TTransaction>(
                ref keys, ref transaction, ref unlocked, out TransactionStatus status);
            if (outcome == Outcome.Ok)
            {
                CountEnded(status);
                return _redo is null ? status : Acknowledged(ref transaction, status);
            }
        }

        using SessionGate.Call call = ContinueAsCall(slot);
        if (slot->Epoch != 0) Epochs.Leave(slot);
        TransactionStatus ended = RunInCall<TKey, TKeys, TTransaction>(ref keys, ref transaction, outcome);
        return _redo is null ? ended : Acknowledged(ref transaction, ended);
    }

    // In the epoch, which keeps other threads from the session: it is left if a key fails.
    private void PrepareEntered<TKey, TKeys>(EpochSlot* slot, scoped ref TKeys keys)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
    {
        try
        {
            _keys.Prepare<TKey, TKeys>(QuietView.Of(slot), ref keys);
        }
        catch
        {
            Epochs.Leave(slot);
            throw;
        }
    }

    /// <inheritdoc/>
    protected internal TransactionStatus RunDynamic<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, IDynamicTransaction
    {
        using SessionGate.Call call = BeginCall();
        var backoff = NewBackoff();
        for (; ; )
        {
            Outcome outcome = TryDynamic(ref transaction, out TransactionStatus status);
            if (IsOver(outcome, ref backoff, ref status))
                return _redo is null ? status : Acknowledged(ref transaction, status);
        }
    }

    /// <inheritdoc/>
    protected internal void RunBatch<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
        where TBatch : struct, ITransactionBatch<TKey, TKeys, TTransaction>, allows ref struct
    {
        using CommitUnit unit = serialNumber is { } serial ? BeginUnit(serial) : default;
        using SessionGate.Call call = BeginCall();
        int count = batch.Count, part = TKeys.FixedCount == 0 ? 2 : Math.Max(PartSize / TKeys.FixedCount, 1);
        try
        {
            for (int start = 0; start < count; start += part)
            {
                int end = Math.Min(start + part, count);
                FetchAll<TKey, TKeys, TTransaction, TBatch>(ref batch, start, end);
                for (int i = start; i < end; i++)
                {
                    TKeys keys = batch.GetKeys(i);
                    TTransaction transaction = batch.GetTransaction(i);
                    TransactionStatus status = RunOfBatch<TKey, TKeys, TTransaction>(ref keys, ref transaction);
                    batch.SetResult(i, status, ref transaction);
                }
            }
        }
        finally
        {
            AcknowledgeBatch();
        }

        unit.Complete();
    }

    // Fetches buckets, then records, of several transactions into the processor's caches.
    private void FetchAll<TKey, TKeys, TTransaction, TBatch>(scoped ref TBatch batch, int start, int end)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
        where TBatch : struct, ITransactionBatch<TKey, TKeys, TTransaction>, allows ref struct
    {
        QuietView* view = QuietView.Of(Slot);
        for (int i = start; i < end; i++)
        {
            TKeys keys = batch.GetKeys(i);
            for (int key = 0; key < keys.Count; key++) view->Prefetch(view->HashOf(keys.GetKey(key)));
        }

        if (view->ReadQuiet == 0) return;
        bool isQuiet = EpochTable.TryEnterQuiet(&view->Slot, view->ReadQuiet);
        for (int i = start; isQuiet && i < end; i++)
        {
            TKeys keys = batch.GetKeys(i);
            for (int key = 0; key < keys.Count; key++)
                RecordTable.Prefetch(view->FindFirst(view->HashOf(keys.GetKey(key))));
        }

        Epochs.Leave(&view->Slot);
    }

    private TransactionStatus RunOfBatch<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        if (!IsHit<TKey, TKeys, TTransaction>()) return RunInCall<TKey, TKeys, TTransaction>(ref keys, ref transaction);
        QuietView* view = QuietView.Of(Slot);
        Hit hit = TryHit<TKey, TKeys, TTransaction>(view, ref keys, ref transaction, out TransactionStatus status);
        if (hit == Hit.Done) return status;
        if (view->Slot.Epoch != 0) Epochs.Leave(&view->Slot);
        return RunInCall<TKey, TKeys, TTransaction>(
            ref keys, ref transaction, hit == Hit.Refused ? Outcome.Retry : Outcome.Ok);
    }

    // Until it has ended, after an attempt that has not, if there was one.
    private TransactionStatus RunInCall<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction, Outcome before = Outcome.Ok)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        var backoff = NewBackoff();
        TransactionStatus status = default;
        if (before != Outcome.Ok && IsOver(before, ref backoff, ref status)) return status;
        _keys.Prepare<TKey, TKeys>(QuietView.Of(Slot), ref keys);
        int unlocked = TKeys.IsReadOnly ? UnlockedReads : 0;
        for (; ; )
        {
            EnterQuietly(mutates: !TKeys.IsReadOnly);
            Outcome outcome = TryEntered<TKey, TKeys, TTransaction>(
                ref keys, ref transaction, ref unlocked, out status);
            if (IsOver(outcome, ref backoff, ref status)) return status;
        }
    }

    // Counts the attempt, and waits before the next one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsOver(Outcome outcome, ref Backoff backoff, ref TransactionStatus status)
    {
        if (outcome == Outcome.Ok)
        {
            CountEnded(status);
            return true;
        }

        if (outcome == Outcome.Retry)
        {
            _figures.Conflicts++;
            status = TransactionStatus.Conflicted;
            if (backoff.Conflicts + 1 == _store.Options.MaxAttempts)
            {
                if (Probe.On && Probe.Has(SeededBug.ConflictTakesNumber)) Count(mutates: true);
                return true;
            }
        }

        backoff.Wait(outcome, Slot);
        return false;
    }

    private void CountEnded(TransactionStatus status)
    {
        if (status == TransactionStatus.Committed) _figures.Committed++;
        else _figures.Aborted++;
    }

    // One attempt in the epoch that the session has entered, and leaves.
    private Outcome TryEntered<TKey, TKeys, TTransaction>(
        scoped ref TKeys keys, ref TTransaction transaction, ref int unlocked, out TransactionStatus status)
        where TKey : struct, IKey, allows ref struct
        where TKeys : struct, IKeySet<TKey>, allows ref struct
        where TTransaction : struct, ITransaction
    {
        status = TransactionStatus.Aborted;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(Mark);
            Outcome outcome = _keys.Locate();
            while (outcome == Outcome.Ok && unlocked > 0 && _version.MayReadUnlocked)
            {
                Outcome read = _keys.TryReadAll<TKey, TKeys>(ref keys);
                unlocked = read == Outcome.Large ? 0 : unlocked - 1;
                if (read != Outcome.Ok) continue;
                bool hasResult = Run(ref transaction);
                return End(TryPublishNumber(), hasResult, mutates: false, out status);
            }

            if (outcome == Outcome.Ok) outcome = _keys.TryLockAll<TKey, TKeys>(ref keys);
            if (outcome != Outcome.Ok) return outcome;
            bool commits = Run(ref transaction);
            outcome = commits ? _keys.TryInstall<TKey, TKeys>(ref keys) : _keys.TryAbort();
            return End(outcome, commits, !TKeys.IsReadOnly, out status);
        }
        finally
        {
            EndAttempt();
        }
    }

    // A transaction that has ended takes a serial number.
    private Outcome End(Outcome outcome, bool commits, bool mutates, out TransactionStatus status)
    {
        status = commits ? TransactionStatus.Committed : TransactionStatus.Aborted;
        if (outcome == Outcome.Ok) Count(mutates && commits);
        return outcome;
    }

    private bool Run<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransaction
    {
        _keys.Buffer.Clear();
        return transaction.Run(_keys.Records);
    }

    private Outcome TryDynamic<TTransaction>(ref TTransaction transaction, out TransactionStatus status)
        where TTransaction : struct, IDynamicTransaction
    {
        status = TransactionStatus.Aborted;
        EnterQuietly(mutates: true);
        try
        {
            using UserCode.Scope inside = UserCode.Enter(Mark);
            _dynamic.Begin();
            bool commits = transaction.Run(_dynamic);
            if (_dynamic.Ended != Outcome.Ok) return _dynamic.Ended;
            TransactionKeys.NamedKeys keys = _keys.Named;
            Outcome outcome = commits
                ? _keys.TryInstall<Analytics.Transfer.ImportedKey, TransactionKeys.NamedKeys>(ref keys)
                : _keys.TryAbort();
            return End(outcome, commits, mutates: true, out status);
        }
        catch (Exception) when (_dynamic.Ended != Outcome.Ok)
        {
            return _dynamic.Ended; // whatever has become of the exception that ended it
        }
        finally
        {
            EndAttempt();
        }
    }

    private void EndAttempt()
    {
        _keys.Release();
        CountRecords(_keys.TakeAdded());
        Epochs.Leave(Slot);
        GC.KeepAlive(this); // the slot is this session's
    }
}
