using DurableTask.Core;
using DurableTask.Core.History;
using Faster.DurableTask.Hubs;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

/// <summary>
/// A partition while it is open: a store, its one writing session, and what waits, in memory. Everything that changes
/// is changed by numbered steps, of which each is one unit of the session.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Steps are computed, issued and applied under one gate, so in the order of their numbers.</item>
/// <item>A step is checked before it is issued: only the store can refuse it then. Memory changes when the unit is
/// complete.</item>
/// <item>Nothing leaves the partition before the step that caused it is durable.</item>
/// <item>A partition whose unit or commit has failed takes no more steps: the hub opens the folder again, at its last
/// commit.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed partial class Partition : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Lock _reading = new();
    private readonly RecordWriter _record = new();
    private readonly Queue<(long Step, List<Action>? Outputs, TaskCompletionSource? Caller)> _waiting = new();
    private readonly Slots _slots = new();
    private readonly PeerRecord[] _peers;
    private readonly Outbox[] _outboxes;
    private readonly Instances _instances;
    private readonly InstanceIndex _index = new();
    private readonly Timers _timers;
    private readonly CommitLoop _commits;
    private readonly PartitionStore.Store _store;
    private readonly PartitionStore.Session _writer, _reader;
    private HeaderRecord _header;
    private Exception? _failure;
    private DateTime _time;
    private long _sequence, _records, _bytes;
    private int _unreadable;
    private bool _isClosed;

    private Partition(Hub hub, HeaderRecord header, PartitionStore.Store store, PartitionStore.Session writer)
    {
        (Hub, _header, _store, _writer, _reader) = (hub, header, store, writer, store.StartSession());
        _peers = new PeerRecord[header.Count];
        _outboxes = [.. Enumerable.Range(0, header.Count).Select(peer => new Outbox(this, peer))];
        _instances = new Instances(this, hub.Options.CachedInstances);
        _timers = new Timers(hub.Options.TimeProvider, OnAlarm);
        _commits = new CommitLoop(this, store, hub.IsInMemory);
        (_time, _sequence, Durable) = (header.Time, header.Sequence, header.Step);
    }

    public Hub Hub { get; }

    /// <summary>The partition's number in the hub.</summary>
    public int Number => _header.Number;

    /// <summary>The number of the last step that is known to be durable.</summary>
    public long Durable { get; private set; }

    /// <summary>The number of the last step.</summary>
    public long Position => _header.Step;

    /// <summary>The instances' index.</summary>
    public InstanceIndex Index => _index;

    /// <summary>Whether the partition takes no more steps.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Runs a step.</summary>
    /// <param name="plan">Computes the step, under the gate; if it throws, nothing has happened.</param>
    /// <exception cref="OutcomeUnknownException">The partition is closed, or has failed with this step.</exception>
    public void Run(Action<Step> plan) => Issue(plan, caller: null);

    /// <summary>Runs a step, and waits until it is durable, with all that it has seen.</summary>
    /// <inheritdoc cref="Run"/>
    public async Task RunDurablyAsync(Action<Step> plan)
    {
        var caller = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            Issue(plan, caller);
        }
        catch (Exception e) when (e is not OutcomeUnknownException)
        {
            await DurableAsync().ConfigureAwait(false); // a refusal, too, tells of the steps before
            throw;
        }

        await caller.Task.ConfigureAwait(false);
    }

    /// <summary>Waits until all steps so far are durable.</summary>
    /// <exception cref="OutcomeUnknownException">The partition is closed, or fails before they are.</exception>
    public Task DurableAsync()
    {
        lock (_gate)
        {
            ThrowIfClosed();
            if (Durable == Position) return Task.CompletedTask;
            var caller = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Await(outputs: null, caller);
            return caller.Task;
        }
    }

    /// <summary>Learns from the commit loop which step is durable, and lets out what waited for it.</summary>
    public void OnDurable(long step)
    {
        List<(List<Action>? Outputs, TaskCompletionSource? Caller)> ready = [];
        lock (_gate)
        {
            if (IsClosed) return;
            Durable = Math.Max(Durable, step);
            while (_waiting.TryPeek(out var first) && first.Step <= Durable)
            {
                ready.Add((first.Outputs, first.Caller));
                _waiting.Dequeue();
            }

            _instances.OnDurable();
            if (_waiting.Count > 0) _commits.Wake();
        }

        foreach ((List<Action>? outputs, TaskCompletionSource? caller) in ready)
        {
            foreach (Action output in outputs ?? []) output();
            caller?.TrySetResult();
        }
    }

    /// <summary>The last step, as far as it is written; for the commit loop of a partition without a folder.</summary>
    public long WrittenPosition()
    {
        lock (_gate) return Position;
    }

    /// <summary>Takes no more steps, and ends the calls that wait; the hub opens the partition again.</summary>
    public void Fail(Exception failure)
    {
        if (Close(failure) is not { } callers) return;
        Hub.OnFailed(this, failure); // first: a call that is repeated at once finds the next opening
        End(callers);
    }

    /// <summary>Closes the partition: its steps become durable, if it has not failed.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Close(null) is { } callers) End(callers);
        _timers.Dispose();
        await _commits.StopAsync().ConfigureAwait(false);
        await _index.StopAsync().ConfigureAwait(false);
        try
        {
            if (_failure is null)
            {
                await _writer.DisposeAsync().ConfigureAwait(false);
                await _reader.DisposeAsync().ConfigureAwait(false);
            }

            await _store.DisposeAsync().ConfigureAwait(false);
        }
        catch (FasterException) when (_failure is not null)
        {
            // The failure is known: a store with a failed unit can't commit on closing, and says so.
        }
    }

    // The callers that wait; null if it was closed before.
    private List<TaskCompletionSource>? Close(Exception? failure)
    {
        List<TaskCompletionSource> callers = [];
        lock (_gate)
        {
            if (IsClosed) return null;
            (_failure, _isClosed) = (failure, true);
            foreach ((_, _, TaskCompletionSource? caller) in _waiting)
            {
                if (caller is not null) callers.Add(caller);
            }

            _waiting.Clear();
        }

        return callers;
    }

    private void End(List<TaskCompletionSource> callers)
    {
        foreach (TaskCompletionSource caller in callers) caller.TrySetException(UnknownOutcome());
    }

    private void Issue(Action<Step> plan, TaskCompletionSource? caller)
    {
        lock (_gate)
        {
            ThrowIfClosed();
            Step step = new(Position + 1, Now());
            plan(step);
            if (step.Writes.Count > 0 || step.IsForced) Write(step);
            else step.Apply();
            if (step.Outputs is not null || caller is not null) Await(step.Outputs, caller);
        }
    }

    // Under the gate.
    private void Await(List<Action>? outputs, TaskCompletionSource? caller)
    {
        _waiting.Enqueue((Position, outputs, caller));
        _commits.Wake();
    }

    // Under the gate. From the first write on, only the store decides what the step has done.
    private void Write(Step step)
    {
        foreach ((int peer, PeerRecord known) in step.Peers) step.Set($"d/{peer}", known.Encode(_record));
        HeaderRecord header = _header with
        {
            Step = step.Number, Slots = _slots.CountAfter(step), Sequence = _sequence + step.Arrivals, Time = step.Now,
        };
        step.Set(HeaderRecord.Key, header.Encode(_record));
        try
        {
            using CommitUnit unit = _writer.BeginUnit(step.Number);
            foreach ((string key, byte[]? value) in step.Writes)
            {
                _ = value is null ? _writer.Delete(key) : _writer.Upsert(key, value);
                _bytes += value?.Length ?? 0;
            }

            unit.Complete();
        }
        catch (Exception e)
        {
            Fail(e);
            throw UnknownOutcome();
        }

        _records += step.Writes.Count;
        _slots.Apply(step);
        (_header, _sequence) = (header, header.Sequence);
        foreach ((int peer, PeerRecord known) in step.Peers) _peers[peer] = known;
        step.Apply();
    }

    // Under the gate: never earlier than any step has seen, whatever the clock does.
    private DateTime Now()
    {
        DateTime now = Hub.Options.TimeProvider.GetUtcNow().UtcDateTime;
        if (now > _time) _time = now;
        return _time;
    }

    private void ThrowIfClosed()
    {
        if (IsClosed || _failure is not null) throw UnknownOutcome();
    }

    private OutcomeUnknownException UnknownOutcome() => new(
        $"Partition {Number} of the hub {(_failure is null ? "was closed" : "has failed")} during the call. What "
        + "became of it shows when the partition is open again; the inner exception, if any, is the cause.", _failure);

    private async ValueTask<byte[]?> ReadAsync(string key)
    {
        ValueTask<ReadResult<byte[]>> read;
        lock (_reading) read = _reader.ReadAsync(key);
        ReadResult<byte[]> result = await read.ConfigureAwait(false);
        return result.Found ? result.Value : null;
    }

    // Issued one after the other, and awaited together.
    private Task<byte[]?[]> ReadAsync(IEnumerable<string> keys) =>
        Task.WhenAll([.. keys.Select(key => ReadAsync(key).AsTask())]);

    private async ValueTask<Instance> LoadAsync(string id)
    {
        Instance instance;
        lock (_gate)
        {
            ThrowIfClosed();
            instance = _instances.Pin(id);
            if (instance.IsLoaded) return instance;
        }

        try
        {
            byte[]? bytes = await ReadAsync(instance.Key).ConfigureAwait(false);
            InstanceRecord? record = bytes is null ? null : InstanceRecord.Decode(bytes);
            lock (_gate)
            {
                // A step may have written a newer one meanwhile: then it is loaded.
                if (!instance.IsLoaded) (instance.IsLoaded, instance.Record) = (true, record);
            }

            return instance;
        }
        catch
        {
            Unpin(instance);
            throw;
        }
    }

    private void Unpin(Instance instance)
    {
        lock (_gate) _instances.Unpin(instance);
    }

    private void Unpin(List<Instance> instances)
    {
        lock (_gate)
        {
            foreach (Instance instance in instances) _instances.Unpin(instance);
        }
    }

    // The chunks of a record; null if one is gone, because another record has taken its place.
    private async ValueTask<List<HistoryEvent>?> ReadHistoryAsync(Instance instance, InstanceRecord record)
    {
        byte[]?[] chunks = await ReadAsync(
            Enumerable.Range(0, record.Chunks).Select(instance.ChunkKey)).ConfigureAwait(false);
        if (Array.Exists(chunks, static chunk => chunk is null)) return null;
        List<HistoryEvent> events = [];
        foreach (byte[]? chunk in chunks) InstanceRecord.DecodeChunk(chunk, events);
        return events;
    }
}
