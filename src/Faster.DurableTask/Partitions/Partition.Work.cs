using DurableTask.Core;
using DurableTask.Core.History;
using Faster.DurableTask.Records;
using Faster.DurableTask.Work;
using CoreEntities = DurableTask.Core.Common.Entities;

namespace Faster.DurableTask.Partitions;

// Work items: an instance is with one dispatcher at a time, and its completion is one step.
internal sealed partial class Partition
{
    private static readonly TimeSpan ShortestBackOff = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestBackOff = TimeSpan.FromSeconds(30);

    /// <summary>Locks an instance that waits in a queue; null if there is nothing to run.</summary>
    public async Task<OrchestrationWork?> TakeAsync(Instance instance)
    {
        lock (_gate)
        {
            instance.IsQueued = false;
            if (IsClosed || instance.IsLocked || instance.Inbox.Count == 0) return null;
            instance.IsLocked = true;
        }

        OrchestrationWork? work = null;
        bool isBackOff = false;
        try
        {
            Unpin(await LoadAsync(instance.Id).ConfigureAwait(false)); // the lock holds it
            List<HistoryEvent>? history = [];
            InstanceRecord? record = instance.Record;
            if (instance.Work is null && record is { IsPending: false, Chunks: > 0 })
                history = await ReadHistoryAsync(instance, record).ConfigureAwait(false);
            if (history is null)
            {
                throw new DamagedDataException(
                    $"A chunk of the history of '{instance.Id}' is missing in partition {Number}.");
            }

            work = Select(instance, history);
        }
        catch (OutcomeUnknownException)
        {
            return null; // the partition is closed
        }
        catch (Exception e)
        {
            Hub.Log.Unreadable(Number, instance.Id, e);
            isBackOff = true;
        }
        finally
        {
            if (work is null) Release(instance, isBackOff);
        }

        return work;
    }

    /// <summary>Takes what has arrived for a work item since its last completion; null if nothing has.</summary>
    public IList<TaskMessage>? TakeMore(OrchestrationWork work)
    {
        lock (_gate)
        {
            Instance instance = work.Instance;
            if (IsClosed || work.IsAbandoned || work.Epoch != instance.Epoch || instance.Inbox.Count == 0
                || instance.Record is not { IsOver: false })
                return null;
            List<TaskMessage> selected = [];
            if (Selection.From(instance.Id, instance.Record, instance.Inbox, selected) != Verdict.Continue) return null;
            work.Items = [.. instance.Inbox];
            return selected;
        }
    }

    /// <summary>Completes a work item: one step.</summary>
    public async Task CompleteAsync(
        OrchestrationWork work, OrchestrationRuntimeState state, IEnumerable<TaskMessage> activities,
        IReadOnlyList<TaskMessage> messages, OrchestrationState? status)
    {
        Instance instance = work.Instance;
        List<Instance> targets = await LoadTargetsAsync(messages).ConfigureAwait(false);
        try
        {
            Run(step =>
            {
                Consume(step, instance, work.Items);
                bool isKept = work.Epoch == instance.Epoch && status is not null
                    && state.ExecutionStartedEvent is not null;
                if (!isKept || !Hub.Options.ExtendedSessions || InstanceRecord.Ends(status!))
                    step.OnApplied(() => Forget(work));
                if (!isKept) return;
                instance.Abandoned = 0;
                foreach (TaskMessage activity in activities)
                {
                    Item item = Add(step, ItemKind.Activity, Tagging.OfActivity(activity));
                    step.OnDurable(() => Hub.Activities.Add((this, item)));
                }

                string execution = state.OrchestrationInstance!.ExecutionId;
                foreach (TaskMessage message in messages)
                {
                    // If the execution has continued as new, nothing waits for the timers of the one before.
                    if (message.Event is not TimerFiredEvent || message.OrchestrationInstance.ExecutionId == execution)
                        Send(step, message);
                }

                WriteExecution(step, instance, state, status!);
            });
        }
        finally
        {
            Unpin(targets);
        }
    }

    /// <summary>Takes back a work item whose processing has thrown; its messages stay.</summary>
    public void Abandon(OrchestrationWork work)
    {
        lock (_gate)
        {
            work.IsAbandoned = true;
            work.Instance.Abandoned++;
            Forget(work);
        }
    }

    // The next work item of the instance begins with its history.
    private static void Forget(OrchestrationWork work)
    {
        if (ReferenceEquals(work.Instance.Work, work)) work.Instance.Work = null;
    }

    /// <summary>Unlocks an instance.</summary>
    public void Release(OrchestrationWork work) => Release(work.Instance, work.IsAbandoned);

    /// <summary>Completes an activity: its slot takes the response. A second completion does nothing.</summary>
    public void Complete(Item activity, TaskMessage response)
    {
        Run(step =>
        {
            if (activity.IsDone) return;
            Deliver(step, Change(step, activity, ItemKind.Message, response));
        });
    }

    /// <summary>Hands an activity out again, after a while.</summary>
    public void Abandon(Item activity) =>
        Hub.Later(BackOff(activity.Attempts), () => Hub.Activities.Add((this, activity)));

    // Under no gate: what is taken here is only this instance's.
    private OrchestrationWork? Select(Instance instance, List<HistoryEvent> history)
    {
        List<TaskMessage> selected = [];
        List<Item> items;
        lock (_gate)
        {
            items = [.. instance.Inbox];
            Verdict verdict = Selection.From(instance.Id, instance.Record, items, selected);
            switch (verdict)
            {
                case Verdict.Wait:
                    instance.WaitsForStart = true;
                    return null;
                case Verdict.Start:
                    (instance.Work, history) = (null, []);
                    break;
            }

            if (verdict is Verdict.Continue or Verdict.Start)
                return instance.Work = Reuse(instance, items, selected) ?? Make(instance, history, items, selected);
        }

        Run(step =>
        {
            if (instance.Record is { IsPending: true }
                && items.Find(static item => item.Message.Event is ExecutionTerminatedEvent) is { } termination)
                Cancel(step, instance, (ExecutionTerminatedEvent)termination.Message.Event);
            Consume(step, instance, items);
        });
        return null;
    }

    private static OrchestrationWork? Reuse(Instance instance, List<Item> items, List<TaskMessage> selected)
    {
        if (instance.Work is not { } work) return null;
        (work.Items, work.Epoch, work.NewMessages, work.IsExtendedSession) = (items, instance.Epoch, selected, false);
        work.OrchestrationRuntimeState.NewEvents.Clear();
        return work;
    }

    private OrchestrationWork Make(
        Instance instance, List<HistoryEvent> history, List<Item> items, List<TaskMessage> selected)
    {
        OrchestrationWork work = new()
        {
            Instance = instance, Epoch = instance.Epoch, Items = items, InstanceId = instance.Id,
            NewMessages = selected, LockedUntilUtc = DateTime.MaxValue,
            OrchestrationRuntimeState = new OrchestrationRuntimeState(history)
            {
                Status = instance.Record?.State.Status,
            },
        };
        if (Hub.Options.ExtendedSessions && !instance.IsEntity) work.Session = work;
        return work;
    }

    private void Consume(Step step, Instance instance, List<Item> items)
    {
        foreach (Item item in items) Remove(step, item);
        step.OnApplied(() => instance.Inbox.RemoveAll(static item => item.IsDone));
    }

    // A start that is still to come does not come any more.
    private void Cancel(Step step, Instance instance, ExecutionTerminatedEvent termination)
    {
        OrchestrationState before = instance.Record!.State;
        List<HistoryEvent> history = [termination];
        foreach (Item timer in _timers.Of(instance.Id))
        {
            Remove(step, timer);
            if (timer.Message.Event is ExecutionStartedEvent started) history.Insert(0, started);
        }

        history.Add(new ExecutionCompletedEvent(-1, termination.Input, OrchestrationStatus.Terminated));
        OrchestrationState state = StateCopy.Of(before);
        (state.OrchestrationStatus, state.Output) = (OrchestrationStatus.Terminated, termination.Input);
        (state.CompletedTime, state.LastUpdatedTime) = (step.Now, step.Now);
        WriteHistory(step, instance, history, 0);
        SetRecord(step, instance, isAnother: true, new InstanceRecord(
            state, before.OrchestrationInstance.ExecutionId, Chunks: 1));
        step.OnDurable(() => Hub.Waiters.Notify(instance.Id, state));
    }

    private void WriteExecution(
        Step step, Instance instance, OrchestrationRuntimeState state, OrchestrationState status)
    {
        string execution = state.OrchestrationInstance!.ExecutionId;
        InstanceRecord? before = instance.Record;
        bool isAnother = before is null || before.ExecutionId != execution;
        if (isAnother || InstanceRecord.Ends(status))
        {
            foreach (Item timer in _timers.Of(instance.Id))
            {
                if (timer.Message.Event is TimerFiredEvent) Remove(step, timer);
            }
        }

        if (IsDeletedEntity(state))
        {
            Delete(step, instance);
            return;
        }

        status.Tags = Tagging.OrNull(status.Tags);
        InstanceRecord record = new(status, execution, Chunks: 1);
        // What is over is read as a whole, if at all: one chunk instead of one for each step.
        if (isAnother || record.IsOver) WriteHistory(step, instance, state.Events, before?.Chunks ?? 0);
        else
        {
            record = record with { Chunks = before!.Chunks + 1 };
            step.Set(instance.ChunkKey(before.Chunks), InstanceRecord.EncodeChunk(_record, state.NewEvents));
        }

        SetRecord(step, instance, isAnother: false, record);
        if (record.IsOver) step.OnDurable(() => Hub.Waiters.Notify(instance.Id, status));
    }

    private void WriteHistory(Step step, Instance instance, ICollection<HistoryEvent> events, int chunks)
    {
        step.Set(instance.ChunkKey(0), InstanceRecord.EncodeChunk(_record, events));
        for (int chunk = 1; chunk < chunks; chunk++) step.Delete(instance.ChunkKey(chunk));
    }

    private void Delete(Step step, Instance instance)
    {
        for (int chunk = 0; chunk < (instance.Record?.Chunks ?? 0); chunk++) step.Delete(instance.ChunkKey(chunk));
        SetRecord(step, instance, isAnother: true, null);
    }

    // DurableTask gives an entity whose state is null a next execution without input.
    private static bool IsDeletedEntity(OrchestrationRuntimeState state) => state.Events is
        [OrchestratorStartedEvent, ExecutionStartedEvent { Input: null } started, OrchestratorCompletedEvent]
        && CoreEntities.IsEntityInstance(started.OrchestrationInstance.InstanceId);

    private void Release(Instance instance, bool isBackOff)
    {
        TimeSpan? pause = null;
        lock (_gate)
        {
            instance.IsLocked = false;
            if (isBackOff && instance.Inbox.Count > 0) pause = BackOff(instance.Abandoned);
            else Queue(instance);
            if (pause is null) _instances.Settle(instance);
        }

        if (pause is { } time)
        {
            Hub.Later(time, () =>
            {
                lock (_gate) Queue(instance);
            });
        }
    }

    private static TimeSpan BackOff(int attempts) =>
        TimeSpan.FromTicks(Math.Min(LongestBackOff.Ticks, ShortestBackOff.Ticks << Math.Clamp(attempts - 1, 0, 20)));
}
