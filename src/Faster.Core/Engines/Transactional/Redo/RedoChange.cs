using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.OperationLogs;

namespace Faster.Engines.Transactional.Redo;

/// <summary>
/// One change in the record of a transaction: the length of the key's slot, that of the value or that there is none,
/// slot and value, each padded to a multiple of 8 (docs/formats/operation-log.md).
/// </summary>
/// <param name="Key">The key's slot.</param>
/// <param name="Value">The value.</param>
/// <param name="IsRemoval">Whether the key has no value.</param>
internal readonly ref struct RedoChange(ReadOnlySpan<byte> Key, ReadOnlySpan<byte> Value, bool IsRemoval)
{
    private const int Lengths = 2 * sizeof(int), None = -1;

    /// <summary>The key's slot.</summary>
    public ReadOnlySpan<byte> Key { get; } = Key;

    /// <summary>What the key has now; empty if it was removed.</summary>
    public ReadOnlySpan<byte> Value { get; } = Value;

    /// <summary>Whether the key has no value.</summary>
    public bool IsRemoval { get; } = IsRemoval;

    /// <summary>Appends the change of a key to a record that is being made.</summary>
    public static unsafe void Append<TKey>(ValueBuffer record, scoped TKey key, ReadOnlySpan<byte> value, bool removes)
        where TKey : struct, IKey, allows ref struct
    {
        int slot = key.SlotSize, padded = (int)LogRecord.Padded(value.Length), bytes = checked(Lengths + slot + padded);
        fixed (byte* to = record.GetSpan(bytes))
        {
            (*(int*)to, *(int*)(to + sizeof(int))) = (slot, removes ? None : value.Length);
            key.WriteTo(to + Lengths);
            byte* at = to + Lengths + slot;
            if (padded != value.Length) *(ulong*)(at + padded - sizeof(ulong)) = 0;
            value.CopyTo(new Span<byte>(at, padded));
        }

        record.Advance(bytes);
    }

    /// <summary>Takes the first change off a record.</summary>
    /// <param name="record">The value's bytes of the record.</param>
    public static RedoChange Take(ref ReadOnlySpan<byte> record)
    {
        int slot = MemoryMarshal.Read<int>(record), length = MemoryMarshal.Read<int>(record[sizeof(int)..]);
        var change = new RedoChange(
            record.Slice(Lengths, slot), record.Slice(Lengths + slot, Math.Max(length, 0)), length == None);
        record = record[(Lengths + slot + (int)LogRecord.Padded(Math.Max(length, 0)))..];
        return change;
    }
}
