using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.HotRing.Rings;
using Faster.Probes;
using Faster.Sessions;

namespace Faster.Engines.HotRing;

/// <summary>
/// Operations that borrow bytes, and batches; and the contract, whose members emitted code alone uses.
/// </summary>
public unsafe partial class HotRingSession
{
    private const int PartSize = 32, CopiedBytes = 64 << 10, CopiedRings = 1 << 10;

    /// <inheritdoc/>
    protected internal Status Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Read(key, ref operation);
        }
    }

    /// <inheritdoc/>
    protected internal Status Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation, IBorrowingOperation =>
        Pinned<UpsertStep<TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal Status Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation, IBorrowingOperation =>
        Pinned<RmwStep<TOperation>, TKey, TOperation>(key, keyBytes, operand, ref operation);

    /// <inheritdoc/>
    protected internal void ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunBatch<ReadStep<TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <inheritdoc/>
    protected internal void UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunBatch<UpsertStep<TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <inheritdoc/>
    protected internal void RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunBatch<RmwStep<TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <inheritdoc/>
    protected internal void DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct =>
        RunBatch<DeleteStep<TOperation>, TKey, TOperation, TBatch>(ref batch);

    /// <summary>
    /// Announces that an operation on a key comes soon: fetches the head of its ring into the processor's caches, and
    /// the item at the head for the key that was announced <see cref="KeysAhead.Lag"/> calls before. A hint: it changes
    /// nothing, throws nothing, and does nothing in a session that is closed.
    /// </summary>
    /// <param name="key">The key; it need not exist, and no operation need follow.</param>
    /// <remarks>
    /// The head is not read, only its address computed: without an epoch its table may have been freed, but the
    /// processor ignores a hint for memory that is not mapped. The second stage reads the head, in the quiet epoch.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected internal void Prefetch<TKey>(scoped TKey key)
        where TKey : struct, IKey, allows ref struct
    {
        if (!Sse.IsSupported) return;
        ulong hash = key.Hash(_seed);
        Sse.Prefetch0(_view.HeadOf(hash));
        PrefetchItem(KeysAhead.Of(Slot)->Add(hash), CallerThread.StackPage);
    }

    private Status Pinned<TStep, TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation, IBorrowingOperation
    {
        fixed (byte* pinnedKey = keyBytes, pinnedOperand = operand)
        {
            operation.Borrow(new(pinnedKey, keyBytes.Length), new(pinnedOperand, operand.Length));
            return Execute<TStep, TKey, TOperation>(key, ref operation);
        }
    }

    private void PrefetchItem(ulong hash, nint page)
    {
        if (TryEnterForHint(page, out bool isCall))
        {
            Probe.Point(ProbePoint.RingRead);
            Sse.Prefetch0((byte*)HeadWord.Address(Volatile.Read(ref *_view.HeadOf(hash))));
            LeaveHint(isCall);
        }

        GC.KeepAlive(this); // the slot is this session's
    }

    ulong ICopyingSession.CopyRecords(ulong from, RecordCopies copies)
    {
        using SessionGate.Call call = BeginCall();
        Epochs.Enter(Slot);
        try
        {
            RefreshState();
            int rings = 0;
            do from = _work.Editor.CopyRing(from, CopiedBytes, copies);
            while (from != 0 && copies.Bytes < CopiedBytes && ++rings < CopiedRings);
            return from;
        }
        finally
        {
            Epochs.Leave(Slot);
            GC.KeepAlive(this); // the slot is this session's
        }
    }

    // In parts, each under one epoch but where memory is short; heads and the items at them are prefetched.
    private void RunBatch<TStep, TKey, TOperation, TBatch>(scoped ref TBatch batch)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate.Call call = BeginCall();
        ulong* hashes = stackalloc ulong[PartSize];
        int count = batch.Count;
        for (int start = 0; start < count; start += PartSize)
        {
            int part = Math.Min(PartSize, count - start);
            for (int i = 0; i < part; i++) hashes[i] = batch.GetKey(start + i).Hash(_seed);
            var wait = new SpaceWait(_store);
            for (int next = 0; next < part;)
            {
                int before = next;
                Epochs.Enter(Slot);
                bool lacksSpace = !TryRunPart<TStep, TKey, TOperation, TBatch>(
                    ref batch, start, ref next, part, hashes);
                if (_store.Accesses.IsAboveLimit) _store.RequestRehash();
                if (next != before) wait = new SpaceWait(_store);
                if (lacksSpace) wait.Once();
            }
        }
    }

    private bool TryRunPart<TStep, TKey, TOperation, TBatch>(
        scoped ref TBatch batch, int start, ref int next, int count, ulong* hashes)
        where TStep : struct, IStep<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        bool isDone = true;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(Mark);
            RefreshState();
            Prefetch(hashes, next, count);
            while (next < count && isDone)
            {
                TOperation operation = batch.GetOperation(start + next);
                bool isDue = --_untilDue <= 0;
                if (isDue) _untilDue = _store.Accesses.Interval;
                isDone = TStep.TryRun(
                    this, batch.GetKey(start + next), hashes[next], ref operation, isDue, out Status status);
                if (isDone) batch.SetResult(start + next++, status, ref operation);
            }
        }
        catch
        {
            Abandon();
            throw;
        }

        Epochs.Leave(Slot);
        return isDone;
    }

    private void Prefetch(ulong* hashes, int next, int count)
    {
        if (!Sse.IsSupported) return;
        for (int i = next; i < count; i++) Sse.Prefetch0(_view.HeadOf(hashes[i]));
        for (int i = next; i < count; i++) Sse.Prefetch0((byte*)HeadWord.Address(*_view.HeadOf(hashes[i])));
    }

    Status IEngineSession.Read<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Read(key, ref operation);

    Status IEngineSession.Upsert<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Upsert(key, ref operation);

    Status IEngineSession.Rmw<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Rmw(key, ref operation);

    Status IEngineSession.Delete<TKey, TOperation>(scoped TKey key, ref TOperation operation) =>
        Delete(key, ref operation);

    Status IEngineSession.Read<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Read(key, keyBytes, operand, ref operation);

    Status IEngineSession.Upsert<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Upsert(key, keyBytes, operand, ref operation);

    Status IEngineSession.Rmw<TKey, TOperation>(
        scoped TKey key, ReadOnlySpan<byte> keyBytes, ReadOnlySpan<byte> operand, ref TOperation operation) =>
        Rmw(key, keyBytes, operand, ref operation);

    void IEngineSession.ReadBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        ReadBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.UpsertBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        UpsertBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.RmwBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        RmwBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.DeleteBatch<TKey, TOperation, TBatch>(scoped ref TBatch batch) =>
        DeleteBatch<TKey, TOperation, TBatch>(ref batch);

    void IEngineSession.Prefetch<TKey>(scoped TKey key) => Prefetch(key);
}
