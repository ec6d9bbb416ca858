using Faster.Contracts;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Tests.Engines;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Operations.Merging;

/// <summary>
/// Reads and additions of a store of long → long whose values are merged, written by hand in the status form.
/// </summary>
internal static class MergingOperations
{
    /// <summary>The schema of such a store, with what merges where no operation does.</summary>
    public static readonly RecordSchema Schema = CounterOperations.Schema with
    {
        Merger = static (_, older, newer, merged) => Add(older, newer, merged),
    };

    /// <summary>Adds, and completes what is pending.</summary>
    public static Status Merge(this HashSession session, long key, long amount)
    {
        var operation = new Sum(amount);
        Status status = session.Rmw(Key(key), ref operation);
        if (status == Status.Pending) session.CompletePending(wait: true);
        return status;
    }

    /// <summary>Reads, and completes what is pending.</summary>
    public static long? Total(this HashSession session, long key)
    {
        var outcome = new CounterOperations.Outcome();
        var operation = new Look(outcome);
        Status status = session.Read(Key(key), ref operation);
        if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
        session.CompletePending(wait: true);
        Assert.Equal(1, outcome.Completions);
        return outcome.Status == Status.Ok ? outcome.Value : null;
    }

    /// <summary>Reads many keys, many at a time.</summary>
    public static IEnumerable<(long Key, long? Value)> Totals(this HashSession session, IEnumerable<long> keys)
    {
        foreach (long[] some in keys.Chunk(200))
        {
            var outcomes = new CounterOperations.Outcome[some.Length];
            for (int i = 0; i < some.Length; i++)
            {
                outcomes[i] = new CounterOperations.Outcome();
                var operation = new Look(outcomes[i]);
                Status status = session.Read(Key(some[i]), ref operation);
                if (status != Status.Pending) operation.Complete(status, null);
            }

            session.CompletePending(wait: true);
            for (int i = 0; i < some.Length; i++)
            {
                Assert.Equal(1, outcomes[i].Completions);
                yield return (some[i], outcomes[i].Status == Status.Ok ? outcomes[i].Value : null);
            }
        }
    }

    private static void Add(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
        merged.Fixed<long>() = BitConverter.ToInt64(older) + BitConverter.ToInt64(newer);

    internal struct Look(CounterOperations.Outcome outcome) : IReadOperation
    {
        public long Value;

        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool Merges => true;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public readonly void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Add(older, newer, merged);

        public void SingleRead(ReadOnlySpan<byte> value) => Value = BitConverter.ToInt64(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => Value = AtomicValue.Load<long>(value);

        public readonly void Complete(Status status, Exception? error)
        {
            outcome.Completions++;
            outcome.Status = status;
            outcome.Value = Value;
        }
    }

    internal readonly struct Sum(long amount) : IRmwOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => false;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Add(older, newer, merged);

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
