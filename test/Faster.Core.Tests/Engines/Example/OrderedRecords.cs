using Faster.Contracts;

namespace Faster.Tests.Engines.Example;

/// <summary>The records of a store in the order of their keys' bytes, up to the memory budget.</summary>
/// <remarks>The caller of each member holds the latch.</remarks>
public sealed class OrderedRecords
{
    private const int Overhead = 128; // the node, the record, two arrays

    private readonly SortedSet<OrderedRecord> _records = [];

    internal OrderedRecords(ExampleOptions options, RecordSchema schema) => (Options, Schema) = (options, schema);

    internal ExampleOptions Options { get; }

    internal RecordSchema Schema { get; }

    internal Lock Latch { get; } = new();

    internal int Count => _records.Count;

    internal long Bytes { get; private set; }

    internal OrderedRecord? Find(OrderedRecord key) =>
        _records.TryGetValue(key, out OrderedRecord? found) ? found : null;

    internal IEnumerable<OrderedRecord> From(OrderedRecord first) =>
        _records.Max is { } last && first.CompareTo(last) <= 0 ? _records.GetViewBetween(first, last) : [];

    /// <summary>Sets the value of a key, or adds a record of it.</summary>
    internal void Put(OrderedRecord key, byte[] value)
    {
        OrderedRecord? found = Find(key);
        long added = value.Length - (found?.Value.Length ?? -key.Key.Length - Overhead);
        if (added > 0 && Bytes + added > Options.MemoryBudget.Bytes)
        {
            throw new LimitExceededException(
                $"ExampleOptions.MemoryBudget, {Options.MemoryBudget}, is used up. Raise it, or delete records.");
        }

        if (found is not null) found.Value = value;
        else _records.Add(new(key.Key.ToArray(), value));
        Bytes += added;
    }

    internal bool Remove(OrderedRecord key)
    {
        if (Find(key) is not { } found) return false;
        Bytes -= Overhead + found.Key.Length + found.Value.Length;
        return _records.Remove(found);
    }
}

/// <summary>A record, or the key of one. The bytes of a value never change: an update replaces the array.</summary>
internal sealed class OrderedRecord(ReadOnlyMemory<byte> key, byte[] value) : IComparable<OrderedRecord>
{
    public ReadOnlyMemory<byte> Key { get; set; } = key;

    public byte[] Value { get; set; } = value;

    public int CompareTo(OrderedRecord? other) => Key.Span.SequenceCompareTo(other!.Key.Span);
}
