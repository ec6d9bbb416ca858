using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Tests.Engines;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.Operations;

/// <summary>
/// The four operations over <see cref="ProbedValue"/>, as written for a latched store, or for one whose words are
/// swapped.
/// </summary>
internal static class ProbedOperations
{
    public struct Get<TShape> : IReadOperation
        where TShape : struct, IShape
    {
        public long Value;

        /// <summary>Hears of the outcome when the read has waited; or null.</summary>
        public Look? Told { get; set; }

        public static int ValueSize => TShape.ValueSize;

        public static bool LatchesUpdates => !TShape.Swaps;

        public static bool LatchesReads => TShape.ValueSize != 8;

        public static bool Merges => TShape.Merges;

        public readonly void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            ProbedValue.Merge(older, newer, merged);

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => Value = ProbedValue.Read(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => Value = ProbedValue.Read(value);

        public readonly void Complete(Status status, Exception? error)
        {
            if (Told is not null) (Told.Status, Told.Value) = (status, Value);
        }
    }

    public readonly struct Put<TShape>(long number, int length) : IUpsertOperation
        where TShape : struct, IShape
    {
        public static int ValueSize => TShape.ValueSize;

        public static bool LatchesUpdates => !TShape.Swaps;

        public static bool LatchesReads => TShape.ValueSize != 8;

        public bool IsAwaited => false;

        public int Length => TShape.ValueSize != 0 ? TShape.ValueSize : length;

        public void Capture() { }

        public void SingleWrite(Span<byte> value) => ProbedValue.Write(value, number);

        public bool ConcurrentWrite(ref ValueSlot value)
        {
            if (!value.TryResize(Length)) return false;
            ProbedValue.Write(value.Bytes, number);
            return true;
        }

        public void Complete(Status status, Exception? error) { }
    }

    /// <summary>Adds to the number, and makes a varying value at least so long.</summary>
    public readonly struct Add<TShape>(long amount, int length) : IRmwOperation
        where TShape : struct, IShape
    {
        public static int ValueSize => TShape.ValueSize;

        public static bool LatchesUpdates => !TShape.Swaps;

        public static bool LatchesReads => TShape.ValueSize != 8;

        public static bool Merges => TShape.Merges;

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            ProbedValue.Merge(older, newer, merged);

        /// <summary>Hears of the outcome when the update has waited; or null.</summary>
        public Look? Told { get; init; }

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => Fill(value, 0, amount);

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            if (TShape.Swaps)
            {
                ProbedValue.Swap(ref value, amount);
                return true;
            }

            if (value.Capacity < length) return false;
            long number = ProbedValue.Read(value.Bytes);
            if (value.Length < length) _ = value.TryResize(length);
            ProbedValue.Write(value.Bytes, number + amount);
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            Fill(newValue, oldValue.Length, ProbedValue.Read(oldValue) + amount);

        public void Complete(Status status, Exception? error)
        {
            if (Told is not null) Told.Status = status;
        }

        private void Fill(ValueBuffer value, int oldLength, long number)
        {
            int size = TShape.ValueSize != 0 ? TShape.ValueSize : Math.Max(length, oldLength);
            Span<byte> slot = value.GetSpan(size)[..size];
            slot.Clear();
            ProbedValue.Write(slot, number);
            value.Advance(size);
        }
    }

    /// <summary>A record's copy, as compaction makes it.</summary>
    public readonly struct Copy(long above, byte[] value, ulong flags = 0) : IConditionalInsert
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public long Above => above;

        public ulong Flags => flags;

        public long Expiry => RecordExpiry.Never;

        public ReadOnlySpan<byte> Value => value;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Remove<TShape> : IDeleteOperation
        where TShape : struct, IShape
    {
        public static int ValueSize => TShape.ValueSize;

        public static bool LatchesUpdates => !TShape.Swaps;

        public static bool LatchesReads => TShape.ValueSize != 8;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
