using System.Buffers;
using Faster.Contracts;
using Faster.Operations;

namespace Faster.Crash.Engine;

/// <summary>
/// Reads and appends of <see cref="EntryOperations"/> in a store that merges: an append to a record on disk reads
/// nothing and appends a delta.
/// </summary>
internal static class MergedEntryOperations
{
    public static readonly RecordSchema Schema = EntryOperations.Schema with
    {
        Merger = static (_, older, newer, merged) => Join(older, newer, merged),
    };

    private static void Join(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
    {
        merged.Write(older);
        merged.Write(newer);
    }

    public readonly struct Read(Found found) : IReadOperation
    {
        private readonly EntryOperations.Read _read = new(found);

        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Join(older, newer, merged);

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => _read.SingleRead(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => _read.ConcurrentRead(value);

        public void Complete(Status status, Exception? error) => _read.Complete(status, error);
    }

    public readonly struct Append(byte[] bytes, Awaited? awaited = null) : IRmwOperation
    {
        private readonly EntryOperations.Append _append = new(bytes, awaited);

        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => _append.IsAwaited;

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Join(older, newer, merged);

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => _append.InitialUpdate(value);

        public bool InPlaceUpdate(ref ValueSlot value) => _append.InPlaceUpdate(ref value);

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            _append.CopyUpdate(oldValue, newValue);

        public void Complete(Status status, Exception? error) => _append.Complete(status, error);
    }
}
