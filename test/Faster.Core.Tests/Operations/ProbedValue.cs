using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Operations;

/// <summary>The size of the values of a scheduled store.</summary>
internal interface IShape
{
    static abstract int ValueSize { get; }

    /// <summary>Whether updates swap the value instead of taking the latch.</summary>
    static virtual bool Swaps => false;

    /// <summary>Whether numbers are merged from deltas.</summary>
    static virtual bool Merges => false;
}

/// <summary>Values of one word that are merged.</summary>
internal readonly struct MergedWordShape : IShape
{
    public static int ValueSize => 8;

    public static bool Merges => true;
}

/// <summary>Values of one word that are merged, and updated without a latch.</summary>
internal readonly struct MergedSwapShape : IShape
{
    public static int ValueSize => 8;

    public static bool Swaps => true;

    public static bool Merges => true;
}

/// <summary>Values that are merged, of which two records fill a page of 4 KiB.</summary>
internal readonly struct MergedHalfPageShape : IShape
{
    public static int ValueSize => 2000;

    public static bool Merges => true;
}

/// <summary>Values of varying length, a multiple of 16, that are merged.</summary>
internal readonly struct MergedVaryingShape : IShape
{
    public static int ValueSize => 0;

    public static bool Merges => true;
}

/// <summary>Values of one word, read without a latch.</summary>
internal readonly struct WordShape : IShape
{
    public static int ValueSize => 8;
}

/// <summary>Values of one word, read and updated without a latch.</summary>
internal readonly struct SwapShape : IShape
{
    public static int ValueSize => 8;

    public static bool Swaps => true;
}

/// <summary>Values of which two records fill a page of 4 KiB.</summary>
internal readonly struct HalfPageShape : IShape
{
    public static int ValueSize => 2000;
}

/// <summary>Values of varying length, a multiple of 16.</summary>
internal readonly struct VaryingShape : IShape
{
    public static int ValueSize => 0;
}

/// <summary>A number at both ends of a value, written and read in steps, so that half of an update can show.</summary>
internal static class ProbedValue
{
    public static void Write(Span<byte> value, long number)
    {
        Probe.Point(ProbePoint.RecordUpdate);
        AtomicValue.Store(ref System.Runtime.InteropServices.MemoryMarshal.AsRef<long>(value), number);
        if (value.Length == 8) return;
        Probe.Point(ProbePoint.RecordUpdate);
        BitConverter.TryWriteBytes(value[^8..], number);
    }

    /// <summary>Adds by compare-and-swap.</summary>
    public static void Swap(ref ValueSlot value, long amount)
    {
        ref long stored = ref value.As<long>();
        long old = AtomicValue.Load(ref stored);
        do Probe.Point(ProbePoint.RecordUpdate);
        while (!AtomicValue.TrySwap(ref stored, old + amount, old, out old));
    }

    /// <summary>The sum of two values, as long as the longer one.</summary>
    public static void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
    {
        int size = Math.Max(older.Length, newer.Length);
        Span<byte> slot = merged.GetSpan(size)[..size];
        slot.Clear();
        Write(slot, Read(older) + Read(newer));
        merged.Advance(size);
    }

    public static long Read(ReadOnlySpan<byte> value)
    {
        Probe.Point(ProbePoint.RecordUpdate);
        long first = AtomicValue.Load<long>(value);
        if (value.Length == 8) return first;
        Probe.Point(ProbePoint.RecordUpdate);
        long last = BitConverter.ToInt64(value[^8..]);
        if (first != last) throw new InvalidOperationException($"Half of an update was seen: {first} and {last}.");
        return first;
    }
}
