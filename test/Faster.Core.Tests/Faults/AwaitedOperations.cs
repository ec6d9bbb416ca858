using Faster.Contracts;
using Faster.Engines;
using Faster.Operations;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>The awaited form of a store of long → long, as the generator would emit it.</summary>
internal static class AwaitedOperations
{
    public static ValueTask<long?> GetAsync(
        this FasterSession session, long key, Action? inside = null, CancellationToken ct = default)
    {
        var operation = new AwaitedRead(inside);
        Status status = session.Read(CounterOperations.Key(key), ref operation);
        return status == Status.Pending
            ? operation.Result!.WaitAsync(ct)
            : new ValueTask<long?>(status == Status.Ok ? operation.Value : null);
    }

    public static ValueTask<Status> AddAsync(this FasterSession session, long key, long amount, Action? inside = null)
    {
        var operation = new AwaitedAdd(amount, inside);
        Status status = session.Rmw(CounterOperations.Key(key), ref operation);
        return status == Status.Pending ? operation.Result!.WaitAsync() : new ValueTask<Status>(status);
    }

    public static ValueTask<Status> PutAsync(this FasterSession session, long key, long value)
    {
        var operation = new AwaitedPut(value);
        Status status = session.Upsert(CounterOperations.Key(key), ref operation);
        return status == Status.Pending ? operation.Result!.WaitAsync() : new ValueTask<Status>(status);
    }

    private struct AwaitedPut(long value) : IUpsertOperation
    {
        public AwaitableResult<Status>? Result;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public static bool RunsUserCode => false;

        public readonly bool IsAwaited => true;

        public readonly int Length => 8;

        public void Capture() => Result = AwaitableResult<Status>.Rent();

        public readonly void SingleWrite(Span<byte> target) => BitConverter.TryWriteBytes(target, value);

        public readonly bool ConcurrentWrite(ref ValueSlot slot)
        {
            slot.As<long>() = value;
            return true;
        }

        public readonly void Complete(Status status, Exception? error) => Result!.Complete(status, error);
    }

    private struct AwaitedRead(Action? inside) : IReadOperation
    {
        public long Value;
        public AwaitableResult<long?>? Result;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public readonly bool IsAwaited => true;

        public void Capture() => Result = AwaitableResult<long?>.Rent();

        public void SingleRead(ReadOnlySpan<byte> value)
        {
            inside?.Invoke();
            Value = BitConverter.ToInt64(value);
        }

        public void ConcurrentRead(ReadOnlySpan<byte> value) => SingleRead(value);

        public readonly void Complete(Status status, Exception? error) =>
            Result!.Complete(status == Status.Ok ? Value : null, error);
    }

    private struct AwaitedAdd(long amount, Action? inside) : IRmwOperation
    {
        public AwaitableResult<Status>? Result;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public readonly bool IsAwaited => true;

        public void Capture() => Result = AwaitableResult<Status>.Rent();

        public readonly void InitialUpdate(ValueBuffer value)
        {
            inside?.Invoke();
            value.Fixed<long>() = amount;
        }

        public readonly bool InPlaceUpdate(ref ValueSlot value)
        {
            inside?.Invoke();
            value.As<long>() += amount;
            return true;
        }

        public readonly void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue)
        {
            inside?.Invoke();
            newValue.Fixed<long>() = BitConverter.ToInt64(oldValue) + amount;
        }

        public readonly void Complete(Status status, Exception? error) => Result!.Complete(status, error);
    }
}
