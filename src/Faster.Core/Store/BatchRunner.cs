using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Sessions;

namespace Faster;

/// <summary>
/// Runs a session's batches: in parts, each under one epoch, the memory of a part fetched ahead in two stages.
/// </summary>
/// <remarks>Not thread-safe: it belongs to a session.</remarks>
internal sealed unsafe class BatchRunner<TProbe>(FasterSession<TProbe> session)
    where TProbe : struct, IProbe
{
    private const int PartSize = 32;

    // hashes of the keys whose operations of the batch are pending
    private readonly HashSet<ulong> _pending = [];

    /// <summary>Runs a batch, and completes what of it has to wait.</summary>
    public void Run<TProtocol, TKey, TOperation, TBatch>(scoped ref TBatch batch, long? serialNumber)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        using SessionGate<TProbe>.Call call = session.BeginCall();
        int count = batch.Count;
        _pending.Clear();
        if (serialNumber is { } serial) session.Runner.BeginUnit(serial);
        try
        {
            for (int start = 0; start < count; start += PartSize)
                RunPart<TProtocol, TKey, TOperation, TBatch>(ref batch, start, Math.Min(PartSize, count - start));
        }
        finally
        {
            try
            {
                if (session.PendingCount != 0) session.CompletePending(wait: true);
            }
            finally
            {
                if (serialNumber is not null) session.Runner.EndUnit();
            }
        }
    }

    [SkipLocalsInit]
    private void RunPart<TProtocol, TKey, TOperation, TBatch>(scoped ref TBatch batch, int start, int count)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        ulong* hashes = stackalloc ulong[PartSize];
        HashSeed seed = session.Store.Seed;
        for (int i = 0; i < count; i++) hashes[i] = batch.GetKey(start + i).Hash(seed);

        for (int next = 0; next < count;)
        {
            if (_pending.Count != 0 && _pending.Contains(hashes[next])) CompleteEarlier();
            int done = session.Runner.EnterAtRest(out EpochSlot* slot)
                ? RunAtRest<TProtocol, TKey, TOperation, TBatch>(slot, ref batch, start, next, count, hashes)
                : RunNone(slot);
            next += done;
            if (next == count || (done != 0 && _pending.Contains(hashes[next]))) continue;
            RunSingle<TProtocol, TKey, TOperation, TBatch>(ref batch, start + next, hashes[next]);
            next++;
        }
    }

    /// <summary>Runs operations under the epoch that was entered, up to one that can't be done at once.</summary>
    /// <remarks>
    /// An entry that was found in the first stage may have been superseded when its record is used in the second. The
    /// record says so, by its seal, its tombstone or its place below the mutable region; and a read of what it held
    /// until then belongs to the moment when the entry was found, which lies within the call.
    /// </remarks>
    /// <returns>How many were done.</returns>
    [SkipLocalsInit]
    private int RunAtRest<TProtocol, TKey, TOperation, TBatch>(
        EpochSlot* slot, scoped ref TBatch batch, int start, int first, int count, ulong* hashes)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        Attempt<TProbe> attempt = session.Attempt;
        QuietIndex<TProbe> index = attempt.Quiet;
        bool somePend = _pending.Count != 0, mayExpire = attempt.Clock.MayExpire;
        ulong* words = stackalloc ulong[PartSize];
        int i = first;
        attempt.Large.Prepared = null;
        try
        {
            using UserCode.Scope inside = UserCode.Enter(session.Mark);
            for (int ahead = first; ahead < count; ahead++) index.Prefetch(hashes[ahead]);
            for (int ahead = first; ahead < count; ahead++)
            {
                words[ahead] = index.FindFirst(hashes[ahead]);
                attempt.Log.Prefetch(HashIndex<TProbe>.AddressOf(words[ahead]));
            }

            for (; i < count; i++)
            {
                if (somePend && _pending.Contains(hashes[i])) break;
                TKey key = batch.GetKey(start + i);
                TOperation operation = batch.GetOperation(start + i);
                Outcome outcome = Outcome.Ok;
                if (!TProtocol.TryHit(attempt, key, words[i], ref operation)
                    && !(mayExpire && TProtocol.TryHitExpiring(attempt, key, words[i], ref operation)))
                {
                    outcome = TProtocol.TryUnderEpoch<TKey, AtRest>(attempt, key, hashes[i], ref operation, null);
                    attempt.Unpin();
                    if (outcome > Outcome.NotFound) break;
                }

                batch.SetResult(start + i, (Status)(int)outcome, ref operation);
            }
        }
        catch
        {
            session.Runner.AcceptUnderEpoch(i - first);
            session.Abandon();
            throw;
        }

        session.Runner.AcceptUnderEpoch(i - first);
        session.Store.Epochs.Leave(slot);
        return i - first;
    }

    private int RunNone(EpochSlot* slot)
    {
        session.Store.Epochs.Leave(slot);
        return 0;
    }

    // A batch falls back to single steps: nobody waits inside an epoch.
    private void RunSingle<TProtocol, TKey, TOperation, TBatch>(scoped ref TBatch batch, int index, ulong hash)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IOperation
        where TBatch : struct, IBatch<TKey, TOperation>, allows ref struct
    {
        TKey key = batch.GetKey(index);
        TOperation operation = batch.GetOperation(index);
        Outcome outcome = session.Runner.TryOnce<TProtocol, TKey, TOperation>(key, hash, ref operation, null);
        Status status = session.Runner.Persist<TProtocol, TKey, TOperation>(key, hash, ref operation, outcome);
        if (status == Status.Pending) _pending.Add(hash);
        batch.SetResult(index, status, ref operation);
    }

    // What is pending is completed before the batch goes on with a key that it has named before: order is kept.
    private void CompleteEarlier()
    {
        session.Pending.CompleteDownTo(0, session);
        _pending.Clear();
    }
}
