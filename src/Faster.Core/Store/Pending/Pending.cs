using System.Buffers;
using Faster.Contracts;
using Microsoft.Extensions.ObjectPool;

namespace Faster;

/// <summary>A pending operation of one protocol; pooled.</summary>
internal sealed class Pending<TProbe, TProtocol, TOperation> : PendingOperation<TProbe>
    where TProbe : struct, IProbe
    where TProtocol : struct, IProtocol<TProbe, TOperation>
    where TOperation : struct, IOperation
{
    // What holds an operation up is mostly over by then. What is not may take as long as a user function: to try on at
    // once would take a processor from it.
    private const int MostAtOnce = 32;

    private TOperation _operation;
    private Status _status;
    private Exception? _error;
    private int _inVain;

    /// <inheritdoc/>
    public override bool IsAwaited => _operation.IsAwaited;

    /// <inheritdoc/>
    protected override IBufferWriter<byte>? Destination =>
        _operation is IReadOperation read ? read.Destination : null;

    /// <summary>Captures an operation.</summary>
    public static Pending<TProbe, TProtocol, TOperation> Capture<TKey>(
        FasterSession<TProbe> session, scoped TKey key, ulong hash, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
    {
        Pending<TProbe, TProtocol, TOperation> pending = PoolOf(session.Store).Get();
        pending.Session = session;
        pending.Key = CapturedKey.Of(key, hash, pending.Key);
        pending.Hash = hash;
        operation.Capture();
        pending._operation = operation;
        return pending;
    }

    /// <inheritdoc/>
    public override bool ResumeOn(FasterSession<TProbe> session)
    {
        if (Failure is { } failure)
        {
            End(session, Status.NotFound, failure);
            return true;
        }

        try
        {
            Outcome outcome = session.Runner.TryOnce<TProtocol, CapturedKey, TOperation>(
                Key, Hash, ref _operation, this, Prepared);
            bool lacksRoom = outcome == Outcome.Growing && session.Runner.HelpResize();
            if (lacksRoom) outcome = Outcome.NoRoom;
            switch (outcome)
            {
                case Outcome.Ok:
                case Outcome.NotFound:
                    End(session, (Status)(int)outcome, null);
                    return true;
                case Outcome.OnDisk:
                case Outcome.Large:
                case Outcome.Oversized:
                    Wait(outcome, session.Attempt, aside: true);
                    return true;
                case Outcome.Latched when session.Store.Commits.IsHeldUp(Hash, Version):
                    Wait(outcome, session.Attempt, aside: true);
                    return true;
                case Outcome.NoRoom when IsAwaited || session != Session:
                    session.Store.ThrowIfLogHasFailed();
                    Wait(Outcome.NoRoom, session.Attempt, aside: true);
                    return true;
                case Outcome.NoRoom:
                    session.Store.Log.WaitForRoom();
                    break;
                case Outcome.Expired:
                    break;
                default:
                    TProbe.Point(ProbePoint.Wait);
                    session.Store.Epochs.Drain();
                    if (++_inVain < MostAtOnce) Thread.Yield();
                    else if (!IsAwaited && session == Session) Thread.Sleep(1);
                    else return session.Store.Pump.ResumeSoon(this);
                    break;
            }

            CheckPatience(outcome);
            BecomeReady();
            return false;
        }
        catch (FasterException e)
        {
            End(session, Status.NotFound, e);
            return true;
        }
        catch (Exception e)
        {
            End(session, Status.NotFound, new UserFunctionException(
                $"A user function threw while a pending operation was continued: {e.Message} The operation has not "
                + "been carried out; mend the function, or issue the operation again.", e));
            return true;
        }
    }

    // Who continues another session's operation leaves its outcome to that one's thread, unless somebody awaits it.
    private void End(FasterSession<TProbe> continuedBy, Status status, Exception? error)
    {
        Settle(Version);
        LetGo();
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
        FasterSession<TProbe> session = Session;
        TOperation operation = _operation;
        bool surfaces = error is not null && !operation.IsAwaited;
        bool wasAdmitted = CountNoMore();
        _operation = default;
        Session = null!;
        Failure = null;
        _inVain = 0;
        Prepared?.End();
        Prepared = null;
        PoolOf(session.Store).Return(this);
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

    private static ObjectPool<Pending<TProbe, TProtocol, TOperation>> PoolOf(FasterStore<TProbe> store) =>
        store.PendingMemory.Pools.Of<Pending<TProbe, TProtocol, TOperation>>();
}
