using Faster.Contracts;
using Faster.Operations;

namespace Faster.Tests.Faults;

/// <summary>Operations of long → long whose user's functions change what they may, and then throw.</summary>
internal static class ThrowingOperations
{
    public static InvalidOperationException Error => new("thrown by the user");

    public readonly struct Read : IReadOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => throw Error;

        public void ConcurrentRead(ReadOnlySpan<byte> value) => throw Error;

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Upsert(long value) : IUpsertOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public int Length => 8;

        public void Capture() { }

        public void SingleWrite(Span<byte> destination)
        {
            BitConverter.TryWriteBytes(destination, value);
            throw Error;
        }

        public bool ConcurrentWrite(ref ValueSlot slot)
        {
            slot.As<long>() = value;
            throw Error;
        }

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Add(long amount) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value)
        {
            value.Fixed<long>() = amount;
            throw Error;
        }

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            value.As<long>() += amount;
            throw Error;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue)
        {
            newValue.Fixed<long>() = BitConverter.ToInt64(oldValue) + amount;
            throw Error;
        }

        public void Complete(Status status, Exception? error) { }
    }

    /// <summary>A read whose completion callback throws.</summary>
    public readonly struct Callback : IReadOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) { }

        public void ConcurrentRead(ReadOnlySpan<byte> value) { }

        public void Complete(Status status, Exception? error) => throw Error;
    }
}
