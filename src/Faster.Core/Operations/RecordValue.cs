using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Operations;

/// <summary>
/// The value slot of a record as an operation's type knows it. What the type rules out is a constant, so that the JIT
/// drops the code for it.
/// </summary>
internal static unsafe class RecordValue<TOperation>
    where TOperation : struct, IValueLayout
{
    /// <summary>Whether values are words that are read by one atomic load.</summary>
    public static bool IsWord
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => !TOperation.LatchesReads && TOperation.ValueSize is 1 or 2 or 4 or 8;
    }

    /// <summary>Whether values are words that are updated by one atomic store or swap.</summary>
    public static bool IsUnlatched
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => IsWord && !TOperation.LatchesUpdates;
    }

    /// <summary>The bytes of the value in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ReadOnlySpan<byte> At(byte* slot) => ValueLayout.Bytes(slot, TOperation.ValueSize);

    /// <summary>
    /// The bytes of the value in a slot. The store's own operations do not know the size at compile time: the log's
    /// layout does.
    /// </summary>
    public static ReadOnlySpan<byte> At(byte* slot, RecordLayout layout) =>
        TOperation.ValueSize != 0 ? At(slot) : layout.ValueAt(slot);

    /// <summary>Whether a record's value lies in fragments.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsLarge(ulong header) => TOperation.ValueSize == 0 && (header & RecordHeader.Large) != 0;
}
