using Faster.DurableTask.Hubs;
using Faster.DurableTask.Records;

namespace Faster.DurableTask.Partitions;

// Opening: what the header, the slots and the peers' records say is brought back; instances are read when needed.
internal sealed partial class Partition
{
    private const int SlotsOfRead = 1024;

    private List<Item> _recovered = []; // until it is resumed

    /// <summary>Opens the store of a partition and reads its header; null if it has none yet.</summary>
    public static async Task<(PartitionStore.Store Store, PartitionStore.Session Writer, HeaderRecord? Header)>
        OpenAsync(string? folder, StoreOptions options)
    {
        PartitionStore.Store store = await PartitionStore.OpenAsync(folder, options).ConfigureAwait(false);
        try
        {
            PartitionStore.Session writer = store.StartSession(PartitionStore.Writer);
            await using PartitionStore.Session reader = store.StartSession();
            ReadResult<byte[]> read = await reader.ReadAsync(HeaderRecord.Key).ConfigureAwait(false);
            HeaderRecord? header = read.Found ? HeaderRecord.Decode(read.Value) : null;
            if ((header?.Step ?? 0) != writer.SerialNumber)
            {
                throw new DamagedDataException(
                    $"The partition in {folder} is at step {header?.Step}, and its session at {writer.SerialNumber}: "
                    + "something else has written to its store. Restore the whole hub from a backup.");
            }

            return (store, writer, header);
        }
        catch
        {
            await store.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Makes a partition of an open store, and brings back what waits in it.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="header">The header: that of the store, or a new one.</param>
    /// <param name="store">The store.</param>
    /// <param name="writer">The writing session.</param>
    /// <param name="isNew">Whether the header is a new one, which is written.</param>
    public static async Task<Partition> StartAsync(
        Hub hub, HeaderRecord header, PartitionStore.Store store, PartitionStore.Session writer, bool isNew)
    {
        Partition partition = new(hub, header, store, writer);
        try
        {
            bool isOlder = store.Recovery is { Skipped.Count: > 0 };
            if (isOlder) partition._header = header with { Incarnation = header.Incarnation + 1 };
            List<Item> items = await partition.ReadSlotsAsync(header.Slots).ConfigureAwait(false);
            for (int peer = 0; peer < header.Count; peer++)
            {
                if (await partition.ReadAsync($"d/{peer}").ConfigureAwait(false) is { } bytes)
                    partition._peers[peer] = PeerRecord.Decode(bytes);
            }

            if (isOlder || isNew)
                await partition.RunDurablyAsync(static step => step.IsForced = true).ConfigureAwait(false);
            partition._index.Build(store);
            partition._recovered = items;
            return partition;
        }
        catch
        {
            await partition.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The least number of a message to a partition that has not been acknowledged.</summary>
    public long FirstUnacknowledged(int destination)
    {
        lock (_gate)
        {
            long first = _peers[destination].Sent + 1;
            foreach (Item item in _recovered)
            {
                if (item.Kind == ItemKind.Outgoing && item.Destination == destination)
                    first = Math.Min(first, item.Number);
            }

            return first;
        }
    }

    /// <summary>Lets what was recovered go on: hands out what waits, in the order of its arrival.</summary>
    public void Resume()
    {
        List<Item> outgoing = [];
        lock (_gate)
        {
            foreach (Item item in _recovered.OrderBy(static item => item.Sequence))
            {
                switch (item.Kind)
                {
                    case ItemKind.Activity: Hub.Activities.Add((this, item)); break;
                    case ItemKind.Timer: _timers.Add(item, _time); break;
                    case ItemKind.Outgoing: outgoing.Add(item); break;
                    default: Deliver(item); break;
                }
            }

            _recovered = [];
        }

        foreach (Item item in outgoing.OrderBy(static item => item.Number)) _outboxes[item.Destination].Add(item);
    }

    // A slot that can't be read is set aside: it stays as it is, and is counted.
    private async Task<List<Item>> ReadSlotsAsync(int count)
    {
        List<Item> items = [];
        _slots.Recover(count);
        for (int first = 0; first < count; first += SlotsOfRead)
        {
            int length = Math.Min(SlotsOfRead, count - first);
            byte[]?[] records = await ReadAsync(
                Enumerable.Range(first, length).Select(_slots.KeyOf)).ConfigureAwait(false);
            for (int i = 0; i < length; i++)
            {
                if (records[i] is not { } bytes) _slots.Free(first + i);
                else if (Decode(first + i, bytes) is { } item) items.Add(item);
            }
        }

        return items;
    }

    private Item? Decode(int slot, byte[] bytes)
    {
        try
        {
            return Item.Decode(slot, bytes);
        }
        catch (Exception e) when (e is InvalidDataException or ArgumentException or OverflowException
            or Newtonsoft.Json.JsonException)
        {
            _unreadable++;
            Hub.Log.SetAside(Number, slot, e);
            return null;
        }
    }
}
