using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Keys and values that go to the log by one call, an entry each.</summary>
/// <param name="capacity">The most of them.</param>
internal sealed class LoggedBatch(int capacity) : IReadOnlySpanBatch
{
    private readonly Record[] _records = new Record[capacity];
    private int _count;

    /// <summary>Takes keys, and the values that a write of them sets.</summary>
    public void Set(ReadOnlySpan<long> keys, long mask)
    {
        _count = keys.Length;
        for (int i = 0; i < keys.Length; i++)
        {
            _records[i].Key = keys[i];
            ValueWord.Set(ref _records[i].Value, ValueWord.Of(keys[i]) ^ mask);
        }
    }

    /// <inheritdoc/>
    public int TotalEntries() => _count;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Get(int index) => MemoryMarshal.AsBytes(_records.AsSpan(index, 1));

    /// <summary>Sets the values in a dictionary.</summary>
    public void CopyTo(ConcurrentDictionary<long, Bytes100> values)
    {
        foreach (ref readonly Record record in _records.AsSpan(0, _count))
            values[record.Key] = record.Value;
    }

    /// <summary>Sets the value of one entry in a dictionary.</summary>
    public static void CopyTo(ReadOnlySpan<byte> entry, ConcurrentDictionary<long, Bytes100> values)
    {
        Record record = MemoryMarshal.Read<Record>(entry);
        values[record.Key] = record.Value;
    }

    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    private struct Record
    {
        public long Key;
        public Bytes100 Value;
    }
}
