using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>Plays one session's part of a history, and records it.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Not thread-safe: one player a session. Leaves some operations pending for a while, never at the end.
/// </remarks>
internal sealed class HistoryPlayer<TKey, TValue>(
    ISessionUnderTest<TKey, TValue> session, Flavour<TKey, TValue> flavour, SessionLog<TValue> log, long firstKey)
    where TKey : notnull
{
    private const int MaxPending = 2;

    private readonly List<PendingTicket<TValue>> _pending = [];

    /// <summary>Plays the steps.</summary>
    /// <param name="steps">What to do.</param>
    /// <param name="fill">Writes fillers.</param>
    public void Play(PlannedStep[] steps, Action fill)
    {
        foreach (PlannedStep step in steps)
        {
            if (step.Fills) fill();
            if (step.Pause < 0) Thread.Yield();
            else Thread.SpinWait(step.Pause);
            long key = firstKey + step.Key;
            if (step.Form == 2) PlayAsync(step, key);
            else if (step.Form == 3) PlayBatch(step, key);
            else PlayStatus(step, key);
        }

        CompleteAll();
    }

    private TValue InputOf(PlannedStep step) => step.Kind switch
    {
        OperationKind.Upsert => flavour.Value(step.Input),
        OperationKind.Rmw => flavour.Input(step.Input),
        _ => default!,
    };

    private void PlayStatus(PlannedStep step, long key)
    {
        TKey typed = flavour.Key(key);
        TValue input = InputOf(step);
        TValue result = default!;
        int number = 0;
        var ticket = new PendingTicket<TValue>(told =>
        {
            if (told.Error is null) log.Answer(number, told.Status == Status.Ok, told.Value);
        });
        number = log.Ask(step.Kind, key, input);
        Status status = step.Kind switch
        {
            OperationKind.Read => session.Read(typed, out result, ticket),
            OperationKind.Upsert => session.Upsert(typed, input, ticket),
            OperationKind.Rmw => session.Rmw(typed, input, ticket),
            _ => session.Delete(typed, ticket),
        };
        if (status != Status.Pending)
        {
            log.Answer(number, status == Status.Ok, result);
            return;
        }

        _pending.Add(ticket);
        if (step.Form == 1 || _pending.Count >= MaxPending) CompleteAll();
    }

    private void PlayAsync(PlannedStep step, long key)
    {
        TKey typed = flavour.Key(key);
        TValue input = InputOf(step);
        int number = log.Ask(step.Kind, key, input);
        ReadResult<TValue> result = new(true, default!);
        switch (step.Kind)
        {
            case OperationKind.Read:
                result = session.ReadAsync(typed).AsTask().GetAwaiter().GetResult();
                break;
            case OperationKind.Upsert:
                session.UpsertAsync(typed, input).AsTask().GetAwaiter().GetResult();
                break;
            case OperationKind.Rmw:
                session.RmwAsync(typed, input).AsTask().GetAwaiter().GetResult();
                break;
            default:
                session.DeleteAsync(typed).AsTask().GetAwaiter().GetResult();
                break;
        }

        log.Answer(number, result.Found, result.Value);
    }

    private void PlayBatch(PlannedStep step, long key)
    {
        TKey[] typed = [flavour.Key(key)];
        TValue[] input = [InputOf(step)];
        int number = log.Ask(step.Kind, key, input[0]);
        ReadResult<TValue>[] result = [new(true, default!)];
        switch (step.Kind)
        {
            case OperationKind.Read:
                session.ReadBatch(typed, result);
                break;
            case OperationKind.Upsert:
                session.UpsertBatch(typed, input);
                break;
            case OperationKind.Rmw:
                session.RmwBatch(typed, input);
                break;
            default:
                session.DeleteBatch(typed);
                break;
        }

        log.Answer(number, result[0].Found, result[0].Value);
    }

    private void CompleteAll()
    {
        Assert.True(session.CompletePending(wait: true), "CompletePending(wait: true) left operations pending.");
        _pending.ForEach(ticket => ticket.AssertDone());
        _pending.Clear();
    }
}
