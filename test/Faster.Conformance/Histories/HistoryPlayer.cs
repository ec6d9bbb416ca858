using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>Plays one session's part of a history, and records it.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// Not thread-safe: one player per session. Leaves some operations pending for a while, never at the end.
/// </remarks>
internal sealed class HistoryPlayer<TKey, TValue>(
    ISessionUnderTest<TKey, TValue> session, Flavor<TKey, TValue> flavor, SessionLog<TValue> log, long firstKey)
    where TKey : notnull
{
    private const int MaxPending = 2, BatchLength = 12;
    private const long FirstOther = 7_000_000_000; // keys of no history

    private readonly List<PendingTicket<TValue>> _pending = [];

    /// <summary>Plays the steps.</summary>
    /// <param name="steps">What to do.</param>
    /// <param name="fill">Writes fillers.</param>
    public void Play(PlannedStep[] steps, Action fill)
    {
        for (int i = 0; i < steps.Length; i++)
        {
            PlannedStep step = steps[i];
            if (step.Fills) fill();
            if (step.Pause < 0) Thread.Yield();
            else Thread.SpinWait(step.Pause);
            long key = firstKey + step.Key;
            if (step.Form == 2) PlayAsync(step, key);
            else if (step.Form == PlannedStep.Batch) PlayBatch(steps, ref i);
            else PlayStatus(step, key);
        }

        CompleteAll();
    }

    private TValue InputOf(PlannedStep step) => step.Kind switch
    {
        OperationKind.Upsert => flavor.Value(step.Input),
        OperationKind.Rmw => flavor.Input(step.Input),
        _ => default!,
    };

    private void PlayStatus(PlannedStep step, long key)
    {
        TKey typed = flavor.Key(key);
        TValue input = InputOf(step);
        TValue result = default!;
        int number = 0;
        var ticket = new PendingTicket<TValue>(told =>
        {
            if (told.Error is null)
                log.Answer(number, told.Status == Status.Ok, told.Value, ExistedBy(step.Kind, told.Status));
        });
        session.Prefetch(typed);
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
            log.Answer(number, status == Status.Ok, result, ExistedBy(step.Kind, status));
            return;
        }

        _pending.Add(ticket);
        if (step.Form == 1 || _pending.Count >= MaxPending) CompleteAll();
    }

    private void PlayAsync(PlannedStep step, long key)
    {
        TKey typed = flavor.Key(key);
        TValue input = InputOf(step);
        int number = log.Ask(step.Kind, key, input);
        ReadResult<TValue> result = new(true, default!);
        bool? existed = null;
        switch (step.Kind)
        {
            case OperationKind.Read:
                result = session.ReadAsync(typed).AsTask().GetAwaiter().GetResult();
                break;
            case OperationKind.Upsert:
                session.UpsertAsync(typed, input).AsTask().GetAwaiter().GetResult();
                break;
            case OperationKind.Rmw:
                existed = ExistedBy(step.Kind, session.RmwAsync(typed, input).AsTask().GetAwaiter().GetResult());
                break;
            default:
                session.DeleteAsync(typed).AsTask().GetAwaiter().GetResult();
                break;
        }

        log.Answer(number, result.Found, result.Value, existed);
    }

    // Includes the steps that join it, and enough keys of no history to make a long batch.
    private void PlayBatch(PlannedStep[] steps, ref int last)
    {
        int first = last;
        while (last + 1 < steps.Length && steps[last + 1].Joins) last++;
        var keys = new TKey[BatchLength];
        var inputs = new TValue[BatchLength];
        for (int i = 0; i < BatchLength; i++)
            (keys[i], inputs[i]) = (flavor.Key(FirstOther + i), flavor.Input(i));
        Span<int> places = stackalloc int[last - first + 1], numbers = stackalloc int[last - first + 1];
        for (int i = 0; i < places.Length; i++)
        {
            PlannedStep step = steps[first + i];
            places[i] = i * (BatchLength / places.Length);
            (keys[places[i]], inputs[places[i]]) = (flavor.Key(firstKey + step.Key), InputOf(step));
            numbers[i] = log.Ask(step.Kind, firstKey + step.Key, inputs[places[i]]);
        }

        var results = new ReadResult<TValue>[BatchLength];
        Array.Fill(results, new(true, default!));
        var statuses = new Status[BatchLength];
        switch (steps[first].Kind)
        {
            case OperationKind.Read:
                session.ReadBatch(keys, results);
                break;
            case OperationKind.Upsert:
                session.UpsertBatch(keys, inputs);
                break;
            case OperationKind.Rmw:
                session.RmwBatch(keys, inputs, statuses);
                break;
            default:
                session.DeleteBatch(keys);
                break;
        }

        for (int i = 0; i < places.Length; i++)
        {
            int place = places[i];
            bool? existed = ExistedBy(steps[first].Kind, statuses[place]);
            log.Answer(numbers[i], results[place].Found, results[place].Value, existed);
        }
    }

    private bool? ExistedBy(OperationKind kind, Status status) =>
        kind != OperationKind.Rmw || (status == Status.Ok && !session.KnowsCreations) ? null : status == Status.Ok;

    private void CompleteAll()
    {
        Assert.True(session.CompletePending(wait: true), "CompletePending(wait: true) left operations pending.");
        _pending.ForEach(ticket => ticket.AssertDone());
        _pending.Clear();
    }
}
