using System.Buffers;
using Faster.Contracts;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Operations.Waiting;
using Faster.Tiers;
using Microsoft.Extensions.ObjectPool;

namespace Faster.LogSessions.Pending;

/// <summary>A pending operation of one algorithm; pooled. One owner at a time, as its base class says.</summary>
internal sealed class TypedPendingOperation<TAlgorithm, TOperation> : PendingOperation
    where TAlgorithm : struct, IAlgorithm<TOperation>
    where TOperation : struct, IOperation
{
    private TOperation _operation;
    private Status _status;
    private Exception? _error;

    /// <inheritdoc/>
    public override bool IsAwaited => _operation.IsAwaited;

    /// <inheritdoc/>
    protected override IBufferWriter<byte>? Destination =>
        _operation is IReadOperation read ? read.Destination : null;

    /// <summary>Takes an operation object from the pool, and copies key and operation into it.</summary>
    public static TypedPendingOperation<TAlgorithm, TOperation> Capture<TKey>(
        LogSession session, Tier tier, scoped TKey key, ulong hash, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        TypedPendingOperation<TAlgorithm, TOperation> pending = PoolOf(session.Core).Get();
        (pending.Session, pending.Tier, pending.Walked) = (session, tier, tier);
        pending.Key = CapturedKey.Of(key, hash, pending.Key);
        pending.Hash = hash;
        operation.Capture();
        pending._operation = operation;
        return pending;
    }

    /// <inheritdoc/>
    public override bool ResumeOn(LogSession session)
    {
        if (Failure is { } failure)
        {
            End(session, Status.NotFound, failure);
            return true;
        }

        OperationRunner runner = session.RunnerOf(Tier);
        try
        {
            Outcome outcome = runner.TryOnce<TAlgorithm, CapturedKey, TOperation>(
                Key, Hash, ref _operation, this, Prepared);
            if (outcome > Outcome.NotFound) return WaitOn(session, runner, outcome);
            long ticket = runner.Acknowledgment?.TakeTicket<TAlgorithm, TOperation>(Hash) ?? Journal.NoTicket;
            if (ticket == Journal.NoTicket || IsInUnit) End(session, (Status)(int)outcome, null);
            else WaitUntilDurable((Status)(int)outcome, ticket);
            return true;
        }
        catch (FasterException e)
        {
            End(session, Status.NotFound, e);
            return true;
        }
        catch (Exception e)
        {
            End(session, Status.NotFound, new FasterException(
                ErrorReason.UserFunction,
                $"A user function threw while a pending operation was continued: {e.Message} The operation has not "
                + "been carried out; fix the function, or issue the operation again.", e));
            return true;
        }
    }

    // Waits as WaitRule says; returns whether that is progress.
    private bool WaitOn(LogSession session, OperationRunner runner, Outcome outcome)
    {
        Waiter waiter = IsAwaited || session != Session ? Waiter.Worker : Waiter.Owner;
        bool isHeldUp = outcome == Outcome.BucketLatched && session.Core.Commits.IsHeldUp(Hash, Version);
        if (outcome == Outcome.IndexResizing && runner.HelpResize()) outcome = Outcome.AllocationFailed;
        if (outcome == Outcome.LogsFull) DropShare();
        switch (WaitRule.FormOf(outcome, waiter, isHeldUp))
        {
            case WaitForm.Pending:
                if (outcome == Outcome.AllocationFailed) Tier.ThrowIfLogHasFailed();
                StartWaiting(outcome, runner.Attempt, aside: true);
                return true;
            case WaitForm.Space:
                Tier.Log.WaitForSpace();
                break;
            case WaitForm.Commit:
                session.Core.Journal!.WaitForSpace();
                break;
            case WaitForm.Yield or WaitForm.Resize when !TryYield(mayBlock: waiter == Waiter.Owner):
                CheckTimeout(outcome);
                return IOThread.Of(Tier).ResumeSoon(this);
        }

        CheckTimeout(outcome);
        BecomeReady();
        return false;
    }

    /// <summary>Makes an operation pending that was carried out, until it is durable.</summary>
    /// <param name="status">Its status.</param>
    /// <param name="serial">Its number; null for one that has changed nothing.</param>
    /// <param name="ticket">The ticket with which it is durable.</param>
    public void AwaitDurable(Status status, long? serial, long ticket)
    {
        RegisterDone(serial);
        WaitUntilDurable(status, ticket);
    }

    /// <inheritdoc/>
    public override void OnDurable(Exception? error)
    {
        _error = error;
        CloseNumber();
        if (IsAwaited) Deliver();
        else Session.Pending.AddDone(this);
    }

    // It is carried out: no commit waits for it.
    private void WaitUntilDurable(Status status, long ticket)
    {
        Settle(Version);
        Release();
        _status = status;
        Session.Core.Journal!.Logs.Notify(ticket, this);
    }

    // An operation that another session continued is delivered on its own session's thread, unless it is awaited.
    private void End(LogSession continuedBy, Status status, Exception? error)
    {
        Settle(Version);
        Release();
        CloseNumber();
        _status = status;
        _error = error;
        if (continuedBy == Session || IsAwaited) Deliver();
        else Session.Pending.AddDone(this);
    }

    /// <inheritdoc/>
    public override void Deliver()
    {
        Status status = _status;
        Exception? error = _error;
        _error = null;
        LogSession session = Session;
        TOperation operation = _operation;
        bool surfaces = error is not null && !operation.IsAwaited;
        if (error is not null) session.Serials.Spoil(error);
        bool wasAdmitted = CountNoMore();
        _operation = default;
        (Session, Tier, Walked) = (null!, null!, null!);
        Failure = null;
        Prepared?.End();
        Prepared = null;
        PoolOf(session.Core).Return(this);
        try
        {
            operation.Complete(status, error);
        }
        catch (Exception e)
        {
            error = error is null ? e : new AggregateException(error, e);
            surfaces = true;
        }

        session.Pending.OnEnded(surfaces ? error : null, wasAdmitted);
    }

    private static ObjectPool<TypedPendingOperation<TAlgorithm, TOperation>> PoolOf(LogStoreCore core) =>
        core.PendingMemory.Pools.Of<TypedPendingOperation<TAlgorithm, TOperation>>();
}
