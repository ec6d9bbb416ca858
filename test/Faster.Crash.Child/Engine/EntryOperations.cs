using System.Buffers;
using Faster.Contracts;
using Faster.Operations;

namespace Faster.Crash.Engine;

/// <summary>Operations of a store of bytes → bytes to which entries are appended, in the status form.</summary>
internal static class EntryOperations
{
    public static readonly RecordSchema Schema = new(0, 0, 0, "bytes", "bytes");

    public readonly struct Read(Found found) : IReadOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public void ConcurrentRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public void Complete(Status status, Exception? error) => found.Error = error;
    }

    public readonly struct Put(byte[] bytes) : IUpsertOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public int Length => bytes.Length;

        public void Capture() { }

        public void SingleWrite(Span<byte> value) => bytes.CopyTo(value);

        public bool ConcurrentWrite(ref ValueSlot value) => value.TryReplace(bytes);

        public void Complete(Status status, Exception? error) { }
    }

    public readonly struct Append(byte[] bytes, Awaited? awaited = null) : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => awaited is not null;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => value.Write(bytes);

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            int length = value.Length;
            if (!value.TryResize(length + bytes.Length)) return false;
            bytes.CopyTo(value.Bytes[length..]);
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue)
        {
            newValue.Write(oldValue);
            newValue.Write(bytes);
        }

        public void Complete(Status status, Exception? error) => awaited?.Complete(error);
    }

    /// <summary>Appends an entry to each of two records.</summary>
    public readonly struct Transfer(byte[] bytes, bool commits) : ITransaction
    {
        public static int ValueSize => 0;

        public static bool IsAwaited => false;

        public bool Run(scoped TransactionRecords records)
        {
            for (int i = 0; i < records.Count; i++)
            {
                int from = records.Buffer.Written.Length;
                records.Buffer.Write(records.Bytes(i));
                records.Buffer.Write(bytes);
                records.EndValue(i, from);
            }

            return commits;
        }

        public void Capture() { }

        public void Complete(TransactionStatus status, Exception? error) { }
    }

    public readonly struct Delete : IDeleteOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Complete(Status status, Exception? error) { }
    }
}
