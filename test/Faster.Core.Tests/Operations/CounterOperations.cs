using Faster.Contracts;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Tests.Engines;

namespace Faster.Tests.Operations;

/// <summary>
/// Operations of a store of long → long, written by hand: what the generator would emit, with a hook for tests.
/// </summary>
internal static class CounterOperations
{
    public static readonly RecordSchema Schema = new(8, 8, 8, "long", "long");

    public static UnmanagedKey<long> Key(long key) => new(key);

    /// <summary>Reads a key, and waits if that becomes pending.</summary>
    public static (Status Status, long Value) ReadToEnd(HashSession session, long key)
    {
        var result = new Outcome();
        var read = new Read(result);
        Status status = session.Read(Key(key), ref read);
        if (status != Status.Pending) return (status, read.Value);
        session.CompletePending(wait: true);
        Assert.Null(result.Error);
        return (result.Status, result.Value);
    }

    /// <summary>Where a pending operation leaves its outcome.</summary>
    public sealed class Outcome
    {
        public int Completions;
        public Status Status;
        public long Value;
        public Exception? Error;
    }

    public struct Read(Outcome? outcome) : IReadOperation
    {
        public long Value;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => Value = BitConverter.ToInt64(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) =>
            Value = Volatile.Read(ref System.Runtime.CompilerServices.Unsafe.As<byte, long>(
                ref System.Runtime.InteropServices.MemoryMarshal.GetReference(value)));

        public readonly void Complete(Status status, Exception? error)
        {
            if (outcome is null) return;
            outcome.Completions++;
            outcome.Status = status;
            outcome.Value = Value;
            outcome.Error = error;
        }
    }

    public readonly struct Upsert(long value) : IUpsertOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

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

    /// <summary>Adds to the value. A negative amount throws, as a user's function might.</summary>
    public readonly struct Add(long amount, Outcome? outcome, Action? inside = null) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value)
        {
            Hook();
            value.Fixed<long>() = amount;
        }

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            Hook();
            value.As<long>() += amount;
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue)
        {
            Hook();
            newValue.Fixed<long>() = BitConverter.ToInt64(oldValue) + amount;
        }

        public void Complete(Status status, Exception? error)
        {
            if (outcome is null) return;
            outcome.Completions++;
            outcome.Status = status;
            outcome.Error = error;
        }

        private void Hook()
        {
            inside?.Invoke();
            if (amount < 0) throw new InvalidOperationException("negative");
        }
    }

    public readonly struct Delete : IDeleteOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
