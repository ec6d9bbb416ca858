using Faster.Contracts;
using Faster.Operations;

namespace Faster.Crash.Engine;

/// <summary>Operations of a store of long → long, as the generator would emit them, in the status form.</summary>
internal static class NumberOperations
{
    public static readonly RecordSchema Schema = new(8, 8, 8, "long", "long");

    /// <summary>A read that leaves its value in <see cref="Found"/>.</summary>
    public struct Read(Found found) : IReadOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public readonly void SingleRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public readonly void ConcurrentRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public readonly void Complete(Status status, Exception? error) => found.Error = error;
    }

    public readonly struct Put(long value) : IUpsertOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public int Length => 8;

        public void Capture() { }

        public void SingleWrite(Span<byte> destination) => BitConverter.TryWriteBytes(destination, value);

        public bool ConcurrentWrite(ref ValueSlot slot)
        {
            slot.As<long>() = value;
            return true;
        }

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Add(long amount, Awaited? awaited = null) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => awaited is not null;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => value.Fixed<long>() = amount;

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            value.As<long>() += amount;
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            newValue.Fixed<long>() = BitConverter.ToInt64(oldValue) + amount;

        public void Complete(Status status, Exception? error) => awaited?.Complete(error);
    }

    /// <summary>Takes an amount from the first of two records and adds it to the second.</summary>
    public readonly struct Transfer(long amount, bool commits) : ITransaction
    {
        public static int ValueSize => 8;

        public static bool IsAwaited => false;

        public bool Run(scoped TransactionRecords records)
        {
            records.Write<long>(0) -= amount;
            records.Write<long>(1) += amount;
            return commits;
        }

        public void Capture() { }

        public void Complete(TransactionStatus status, Exception? error) { }
    }

    public readonly struct Delete : IDeleteOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
