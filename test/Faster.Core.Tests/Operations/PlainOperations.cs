using Faster.Contracts;
using Faster.Engines;
using Faster.Operations;
using Faster.Tests.Engines;

namespace Faster.Tests.Operations;

/// <summary>
/// Operations on words that run no user code, under keys of variable length: the engine carries out their hits without
/// a guard, as it does those of a generated store without functions.
/// </summary>
internal static class PlainOperations
{
    public static readonly RecordSchema Schema = new(0, 0, 8, "bytes", "long");

    public static long? GetPlain(this FasterSession session, ReadOnlySpan<byte> key)
    {
        var read = new Read();
        return session.Read(new BytesKey(key), ref read) == Status.Ok ? read.Value : null;
    }

    public static Status PutPlain(this FasterSession session, ReadOnlySpan<byte> key, long value)
    {
        var upsert = new Upsert(value);
        return session.Upsert(new BytesKey(key), ref upsert);
    }

    public static Status AddPlain(this FasterSession session, ReadOnlySpan<byte> key, long amount)
    {
        var add = new Add(amount);
        return session.Rmw(new BytesKey(key), ref add);
    }

    public struct Read : IReadOperation
    {
        public long Value;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => false;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => Value = AtomicValue.Load<long>(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => Value = AtomicValue.Load<long>(value);

        public readonly void Complete(Status status, Exception? error) { }
    }

    public readonly struct Upsert(long value) : IUpsertOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => false;

        public bool IsAwaited => false;

        public int Length => 8;

        public void Capture() { }

        public void SingleWrite(Span<byte> destination) => BitConverter.TryWriteBytes(destination, value);

        public bool ConcurrentWrite(ref ValueSlot slot)
        {
            AtomicValue.Store(ref slot.As<long>(), value);
            return true;
        }

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Add(long amount) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => value.Fixed<long>() = amount;

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            Interlocked.Add(ref value.As<long>(), amount);
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            newValue.Fixed<long>() = BitConverter.ToInt64(oldValue) + amount;

        public void Complete(Status status, Exception? error) { }
    }
}
