using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Engines.Transactional.Redo;
using Faster.Operations.Journaling;
using Faster.Persistence;
using Faster.Sessions;
using Faster.Threads;

namespace Faster.Engines.Transactional;

/// <summary>How operations end for their callers where each is durable.</summary>
public partial class TransactionalSession
{
    private const int MostAwaited = 1 << 14;

    private long _lastTicket = SharedLogs.NoTicket;
    private int _awaited; // what has ended, and is not durable yet

    // Waits until an operation is durable, or what it has found. A read returns at once, and may have found what a
    // crash takes back. One that is awaited is captured, and its caller told later.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Status Acknowledged<TStep, TOperation>(ref TOperation operation, Status status)
        where TStep : struct, IStep<TOperation>
        where TOperation : struct, IOperation
    {
        if (TStep.Access == RecordAccess.Read || !_redo!.Waits) return status;
        using SessionGate.Call call = BeginCall();
        long ticket = TakeTicket(operation.IsAwaited, out bool isAwaited);
        if (!isAwaited) return status;
        operation.Capture();
        _redo.Logs.Logs.Notify(ticket, new AwaitedOperation<TOperation>(this, operation, status));
        return Status.Pending;
    }

    // As above, of a transaction, whatever it has done, and also if it has only read.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TransactionStatus Acknowledged<TTransaction>(ref TTransaction transaction, TransactionStatus status)
        where TTransaction : struct, ITransactionForm
    {
        if (status == TransactionStatus.Conflicted || !_redo!.Waits) return status;
        using SessionGate.Call call = BeginCall();
        long ticket = TakeTicket(TTransaction.IsAwaited, out bool isAwaited);
        if (!isAwaited) return status;
        transaction.Capture();
        _redo.Logs.Logs.Notify(ticket, new AwaitedTransaction<TTransaction>(this, transaction, status));
        return status;
    }

    // Once for all of a batch; also if it has thrown, since what it did before counts.
    private void AcknowledgeBatch()
    {
        if (_redo is { Waits: true }) _ = TakeTicket(mayBeAwaited: false, out _);
    }

    // Waits for the ticket of what was done, unless the caller awaits it, and there are not too many.
    private long TakeTicket(bool mayBeAwaited, out bool isAwaited)
    {
        long ticket = _redo!.TakeTicket(_store.Core);
        _lastTicket = Math.Max(_lastTicket, ticket);
        isAwaited = mayBeAwaited && ticket != SharedLogs.NoTicket && Volatile.Read(ref _awaited) < MostAwaited;
        if (isAwaited) Interlocked.Increment(ref _awaited);
        else if (ticket != SharedLogs.NoTicket) _redo.Logs.Logs.Wait(ticket);
        return ticket;
    }

    private protected override void CompleteAll()
    {
        if (_lastTicket == SharedLogs.NoTicket) return;
        try
        {
            _redo!.Logs.Logs.Wait(_lastTicket);
        }
        catch (StorageException)
        {
            // Each caller that has waited for it was told.
        }
    }

    private protected override async ValueTask CompleteAllAsync()
    {
        if (_lastTicket == SharedLogs.NoTicket) return;
        try
        {
            _ = await _redo!.Logs.Logs.WaitAsync(_lastTicket, CancellationToken.None).Here();
        }
        catch (StorageException)
        {
            // As above.
        }
    }

    private async ValueTask UnitDurableAsync()
    {
        RedoLogs logs = _redo!.Logs;
        if (logs.Units.IsAny) await BackgroundTasks.Run(() => logs.WaitForUnits(_store.Core)).Here();
        _ = await logs.Logs.WaitAsync(logs.TakeTicket(), CancellationToken.None).Here();
    }

    /// <summary>An operation that was carried out, and whose caller awaits that it is durable.</summary>
    private sealed class AwaitedOperation<TOperation>(
        TransactionalSession session, TOperation operation, Status status) : IDurableWaiter
        where TOperation : struct, IOperation
    {
        public void OnDurable(Exception? error)
        {
            Interlocked.Decrement(ref session._awaited);
            operation.Complete(status, error);
        }
    }

    /// <summary>A transaction that has ended, and whose caller awaits that it is durable.</summary>
    private sealed class AwaitedTransaction<TTransaction>(
        TransactionalSession session, TTransaction transaction, TransactionStatus status) : IDurableWaiter
        where TTransaction : struct, ITransactionForm
    {
        public void OnDurable(Exception? error)
        {
            Interlocked.Decrement(ref session._awaited);
            transaction.Complete(status, error);
        }
    }
}
