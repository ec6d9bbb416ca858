using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Sessions;

namespace Faster.LogSessions;

/// <summary>
/// Runs a session's batches in parts: each part under one epoch, its memory prefetched in two stages.
/// </summary>
/// <remarks>
/// <para>An operation that can't be done at once ends the epoch, and what was found for those behind it is void. So the
/// number of keys that are looked up ahead follows the number that were done in a row: at most twice as many. A part
/// then costs as many look-ups as it has operations, times a constant, however many of them are on disk.</para>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
internal sealed unsafe class BatchRunner(HashSession session)
{
    private const int PartSize = 32, MinWindow = 4;

    // The hashes of the keys whose operations of the batch are pending.
    private readonly HashSet<ulong> _pending = [];
    private int _window = PartSize; // how many keys are looked up ahead
    private long _ticket;           // that the batch waits for at its end

    /// <summary>Runs the batches of another session from now on.</summary>
    public void Serve(HashSession next)
    {
        session = next;
        _window = PartSize;
    }

    /// <summary>Forgets what the last batch has left.</summary>
    public void LetGo()
    {
        _pending.Clear();
        if (_pending.Capacity > PartSize) _pending.TrimExcess();
    }

    /// <summary>Runs a batch, and completes those of its operations that became pending.</summary>
    /// <param name="caller">The session that is called: it refuses if it has ended.</param>
    /// <param name="batch">The operations.</param>
    /// <param name="serialNumber">One number for all of them, or null.</param>
    public void Run<TAlgorithm, TKey, TOperation, TBatch>(
        HashSession caller, scoped ref TBatch batch, long? serialNumber)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using CommitUnit unit = serialNumber is { } serial ? caller.BeginUnit(serial) : default;
        using SessionGate.Call call = caller.BeginCall();
        int count = batch.Count;
        _pending.Clear();
        _ticket = Journal.NoTicket;
        bool isInUnit = session.Serials.Unit != 0;
        if (isInUnit) session.Serials.AllowHits(true);
        JournalSession? identity = TAlgorithm.IsJournaled && !isInUnit ? session.Identity : null;
        long first = session.Serials.Next;
        identity?.Open(first); // until the end nothing of the batch is durable
        try
        {
            for (int start = 0; start < count; start += PartSize)
                RunPart<TAlgorithm, TKey, TOperation, TBatch>(ref batch, start, Math.Min(PartSize, count - start));
        }
        finally
        {
            if (isInUnit) session.Serials.AllowHits(false);
            End(identity, first, waits: !isInUnit);
        }

        unit.Complete();
    }

    // Also if the batch has thrown: what it has done must be durable before anything that comes after it.
    private void End(JournalSession? identity, long first, bool waits)
    {
        try
        {
            if (session.PendingCount != 0) session.CompletePending(wait: true);
        }
        finally
        {
            if (waits && _ticket != Journal.NoTicket) session.Core.Journal!.Logs.Wait(_ticket);
            identity?.Close(first);
        }
    }

    [SkipLocalsInit]
    private void RunPart<TAlgorithm, TKey, TOperation, TBatch>(scoped ref TBatch batch, int start, int count)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        ulong* hashes = stackalloc ulong[PartSize];
        HashSeed seed = session.Attempt.Tier.Seed;
        for (int i = 0; i < count; i++) hashes[i] = batch.GetKey(start + i).Hash(seed);

        for (int next = 0; next < count;)
        {
            if (_pending.Count != 0 && _pending.Contains(hashes[next])) CompleteEarlier();
            int end = Math.Min(next + _window, count);
            int done = session.Runner.EnterQuiet(out EpochSlot* slot) && MayRunQuiet<TAlgorithm, TOperation>(slot)
                ? RunQuiet<TAlgorithm, TKey, TOperation, TBatch>(slot, ref batch, start, next, end, hashes)
                : RunNone(slot);
            next += done;
            int wider = Math.Clamp(2 * done, MinWindow, PartSize);
            _window = next == end ? Math.Max(_window, wider) : wider;
            if (next == end || (done != 0 && _pending.Contains(hashes[next]))) continue;
            RunSingle<TAlgorithm, TKey, TOperation, TBatch>(ref batch, start + next, hashes[next]);
            next++;
        }
    }

    /// <summary>Runs operations under the entered epoch, up to the first that can't be done at once.</summary>
    /// <remarks>
    /// An entry that was found in the first stage may have been superseded when its record is used in the second. The
    /// record shows this by its sealed bit, its tombstone bit, or its place below the mutable region. A read of a
    /// superseded record takes effect when the entry was found, which lies within the call.
    /// </remarks>
    /// <returns>The number of operations done.</returns>
    [SkipLocalsInit]
    private int RunQuiet<TAlgorithm, TKey, TOperation, TBatch>(
        EpochSlot* slot, scoped ref TBatch batch, int start, int first, int end, ulong* hashes)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        Attempt attempt = session.Attempt;
        QuietView* view = QuietView.Of(slot);
        bool somePend = _pending.Count != 0;
        long* addresses = stackalloc long[PartSize];
        int i = first;
        attempt.Large.Prepared = null;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(session.Mark);
            for (int ahead = first; ahead < end; ahead++) view->Prefetch(hashes[ahead]);
            for (int ahead = first; ahead < end; ahead++)
            {
                addresses[ahead] = view->FindFirst(hashes[ahead]);
                attempt.Log.Prefetch(addresses[ahead]);
            }

            for (; i < end; i++)
            {
                if (somePend && _pending.Contains(hashes[i])) break;
                TKey key = batch.GetKey(start + i);
                TOperation operation = batch.GetOperation(start + i);
                Status status = Status.Ok;
                byte* record = view->Pointer(addresses[i]);
                bool isHit = MayHit<TAlgorithm, TOperation>(attempt, view, addresses[i])
                    && TryHit<TAlgorithm, TKey, TOperation>(attempt, view, key, record, addresses[i], ref operation);
                if (!isHit && !SecondLook.TryChain<TAlgorithm, TKey, TOperation>(
                    attempt, view, key, hashes[i], ref operation, out status))
                {
                    Outcome outcome =
                        session.Runner.TryQuiet<TAlgorithm, TKey, TOperation>(key, hashes[i], ref operation);
                    if (outcome > Outcome.NotFound) break;
                    status = (Status)(int)outcome;
                }

                batch.SetResult(start + i, status, ref operation);
            }
        }
        catch
        {
            session.Serials.CountUnderEpoch(i - first, TAlgorithm.Mutates);
            session.Runner.Abandon();
            throw;
        }

        session.Serials.CountUnderEpoch(i - first, TAlgorithm.Mutates);
        session.Core.Epochs.Leave(slot);
        return i - first;
    }

    // A record that does not expire is updated as such by a session without a time to live.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryHit<TAlgorithm, TKey, TOperation>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address, ref TOperation operation)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
    {
        bool isPlain = !TAlgorithm.Mutates || view->UpdateQuiet != 0;
        if (isPlain && TAlgorithm.TryHit(attempt, view, key, record, address, ref operation)) return true;
        return view->HasExpiring && SecondLook.TryExpiring<TAlgorithm, TKey, TOperation>(
            attempt, view, key, record, address, unlatched: true, ref operation);
    }

    // ReadOnly as it is now, not as it was when the epoch was noted: an operation of this batch may have copied the
    // record since its entry was found, because it lies below.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool MayHit<TAlgorithm, TOperation>(Attempt attempt, QuietView* view, long address)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IOperation => TAlgorithm.Mutates
            ? view->MayUpdate(address) && address >= attempt.Log.ReadOnlyAddress
            : address != 0;

    // A journaled operation needs its number at once, and a read that waits for what it has read takes its ticket.
    private bool MayRunQuiet<TAlgorithm, TOperation>(EpochSlot* slot)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TOperation : struct, IOperation =>
        session.Core.Journal is null
            || !(TAlgorithm.IsJournaled || QuietView.Of(slot)->WithholdsReads(runsUserCode: false));

    private int RunNone(EpochSlot* slot)
    {
        session.Core.Epochs.Leave(slot);
        return 0;
    }

    // Falls back to a single operation, which may wait: no operation waits inside an epoch.
    private void RunSingle<TAlgorithm, TKey, TOperation, TBatch>(scoped ref TBatch batch, int index, ulong hash)
        where TAlgorithm : struct, IAlgorithm<TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        TKey key = batch.GetKey(index);
        TOperation operation = batch.GetOperation(index);
        Outcome outcome = session.Runner.TryOnce<TAlgorithm, TKey, TOperation>(key, hash, ref operation, null);
        Status status = session.Runner.RetryUntilDone<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome);
        if (status == Status.Pending) _pending.Add(hash);
        else if (session.Runner.Acknowledgment is { } acknowledgment)
            _ticket = Math.Max(_ticket, acknowledgment.TakeTicket<TAlgorithm, TOperation>(hash));
        batch.SetResult(index, status, ref operation);
    }

    // A key of a pending operation comes again: completing the pending ones first keeps the order of each key.
    private void CompleteEarlier()
    {
        session.Pending.CompleteDownTo(0, session);
        _pending.Clear();
    }
}
