using DurableTask.Core;
using DurableTask.Core.History;
using Faster.DurableTask.Records;
using Faster.DurableTask.Work;
using CoreEntities = DurableTask.Core.Common.Entities;

namespace Faster.DurableTask.Partitions;

// Messages: into slots, into inboxes, to other partitions and from them. All plans run under the gate.
internal sealed partial class Partition
{
    private const int MostTimersOfStep = 256;

    // A start that arrives writes the state, so its target must be loaded.
    private void Send(Step step, TaskMessage message)
    {
        int destination = Hub.PartitionOf(message.OrchestrationInstance.InstanceId);
        if (destination != Number)
        {
            PeerRecord peer = step.Change(
                destination, _peers[destination], static known => known with { Sent = known.Sent + 1 });
            Item item = Add(step, ItemKind.Outgoing, message, destination: destination, number: peer.Sent);
            step.OnDurable(() => _outboxes[destination].Add(item));
            return;
        }

        if (message.Event is ExecutionStartedEvent started) WritePending(step, message, started);
        if (DueOf(message) is { } due && due > step.Now)
        {
            Item timer = Add(step, ItemKind.Timer, message, due);
            step.OnApplied(() => _timers.Add(timer, _time));
        }
        else Deliver(step, Add(step, ItemKind.Message, message));
    }

    private Item Add(
        Step step, ItemKind kind, TaskMessage message, DateTime due = default, int destination = 0, long number = 0) =>
        Set(step, new Item
        {
            Slot = _slots.Take(step), Kind = kind, Sequence = _sequence + ++step.Arrivals, Message = message, Due = due,
            Destination = destination, Number = number,
        });

    // Another item in the slot of one that is done with it.
    private Item Change(Step step, Item before, ItemKind kind, TaskMessage message)
    {
        step.OnApplied(() => before.IsDone = true);
        return Set(step, new Item
        {
            Slot = before.Slot, Kind = kind, Sequence = _sequence + ++step.Arrivals, Message = message,
        });
    }

    private Item Set(Step step, Item item)
    {
        step.Set(_slots.KeyOf(item.Slot), item.Encode(_record));
        return item;
    }

    private void Remove(Step step, Item item)
    {
        if (item.IsDone) return;
        step.Delete(_slots.KeyOf(item.Slot));
        step.OnApplied(() =>
        {
            item.IsDone = true;
            _slots.Free(item.Slot);
            if (item.Kind == ItemKind.Timer) _timers.Remove(item);
        });
    }

    private void Deliver(Step step, Item item) => step.OnApplied(() => Deliver(item));

    private void Deliver(Item item)
    {
        Instance instance = _instances.Get(item.Message.OrchestrationInstance.InstanceId);
        instance.Inbox.Add(item);
        instance.WaitsForStart = false;
        Queue(instance);
    }

    private void Queue(Instance instance)
    {
        if (instance.IsLocked || instance.IsQueued || instance.Inbox.Count == 0 || instance.WaitsForStart) return;
        instance.IsQueued = true;
        Hub.QueueOf(instance.IsEntity).Add(instance);
    }

    // A new instance's state, unless the start is one too many.
    private void WritePending(Step step, TaskMessage message, ExecutionStartedEvent started)
    {
        if (!_instances.TryGet(message.OrchestrationInstance.InstanceId, out Instance? instance) || !instance.IsLoaded)
            throw new InvalidOperationException("The target of a start must be loaded.");
        if (instance.Record is { IsOver: false }) return;
        Consume(step, instance, instance.Inbox); // it was for the instance that is over
        DateTime now = step.Now;
        SetRecord(step, instance, isAnother: true, new InstanceRecord(
            new OrchestrationState
            {
                OrchestrationInstance = started.OrchestrationInstance, ParentInstance = started.ParentInstance,
                Name = started.Name, Version = started.Version, Input = started.Input,
                Tags = Tagging.OrNull(started.Tags), OrchestrationStatus = OrchestrationStatus.Pending,
                CreatedTime = started.Timestamp, LastUpdatedTime = now, CompletedTime = DateTime.MaxValue,
                ScheduledStartTime = started.ScheduledStartTime, Generation = started.Generation,
            }, ExecutionId: null, Chunks: instance.Record?.Chunks ?? 0));
    }

    private void SetRecord(Step step, Instance instance, bool isAnother, InstanceRecord? record)
    {
        if (record is null) step.Delete(instance.Key);
        else step.Set(instance.Key, record.Encode(_record));
        step.OnApplied(() =>
        {
            (instance.IsLoaded, instance.Record, instance.LastStep) = (true, record, step.Number);
            if (isAnother) instance.Replace();
            _index.Set(instance.Id, record?.State);
        });
    }

    private static DateTime? DueOf(TaskMessage message) => message.Event switch
    {
        TimerFiredEvent timer => timer.FireAt,
        ExecutionStartedEvent started => started.ScheduledStartTime,
        _ => CoreEntities.IsDelayedEntityMessage(message, out DateTime due) ? due : null,
    };

    private void OnAlarm()
    {
        try
        {
            bool isMore = true;
            while (isMore)
            {
                Run(step =>
                {
                    List<Item> due = _timers.Take(step.Now, MostTimersOfStep);
                    isMore = due.Count == MostTimersOfStep;
                    foreach (Item timer in due)
                    {
                        Item message = Change(step, timer, ItemKind.Message, timer.Message);
                        step.OnApplied(() => _timers.Remove(timer));
                        Deliver(step, message);
                    }

                    if (!isMore) _timers.Arm(_time);
                });
            }
        }
        catch (OutcomeUnknownException)
        {
            // Closed: the timers are in their slots.
        }
    }

    /// <summary>Takes messages of another partition; completes when they are durable.</summary>
    /// <param name="sender">The partition.</param>
    /// <param name="incarnation">Its incarnation.</param>
    /// <param name="items">Its outgoing items, in the order of their numbers.</param>
    public async Task ReceiveAsync(int sender, long incarnation, IReadOnlyList<Item> items)
    {
        List<Instance> targets = await LoadTargetsAsync(
            items.Select(static item => item.Message)).ConfigureAwait(false);
        try
        {
            await RunDurablyAsync(step =>
            {
                PeerRecord known = _peers[sender];
                if (known.Incarnation != incarnation && items[0].Number > known.Received + 1)
                    throw Hub.OutOfStep(sender, Number, items[0].Number, known.Received);
                foreach (Item item in items)
                {
                    if (item.Number <= known.Received) continue; // it came before, and its acknowledgment was lost
                    Send(step, item.Message);
                }

                step.Change(sender, known, before => before with
                {
                    Received = Math.Max(before.Received, items[^1].Number), Incarnation = incarnation,
                });
            }).ConfigureAwait(false);
        }
        finally
        {
            Unpin(targets);
        }
    }

    /// <summary>Empties the slots of messages that another partition has made durable.</summary>
    public void Acknowledge(IReadOnlyList<Item> items) => Run(step =>
    {
        foreach (Item item in items) Remove(step, item);
    });

    /// <summary>How often the partition has been opened at an older commit.</summary>
    public long Incarnation => _header.Incarnation;

    /// <summary>What the partition knows of another one.</summary>
    public PeerRecord Peer(int number)
    {
        lock (_gate) return _peers[number];
    }

    // The targets in this partition whose state a start writes; pinned.
    private async Task<List<Instance>> LoadTargetsAsync(IEnumerable<TaskMessage> messages)
    {
        List<Instance> targets = [];
        try
        {
            foreach (TaskMessage message in messages)
            {
                string id = message.OrchestrationInstance.InstanceId;
                if (message.Event is ExecutionStartedEvent && Hub.PartitionOf(id) == Number)
                    targets.Add(await LoadAsync(id).ConfigureAwait(false));
            }

            return targets;
        }
        catch
        {
            Unpin(targets);
            throw;
        }
    }
}
