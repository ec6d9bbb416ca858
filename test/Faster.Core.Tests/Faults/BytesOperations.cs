using System.Buffers;
using Faster.Contracts;
using Faster.LogSessions;
using Faster.Operations;

namespace Faster.Tests.Faults;

/// <summary>Operations of a store of bytes → bytes, written by hand, in the status form.</summary>
internal static class BytesOperations
{
    public static readonly RecordSchema Schema = new(0, 0, 0, "bytes", "bytes");

    public static void PutBytes(this HashSession session, int key, byte[] value) =>
        session.PutBytes(BitConverter.GetBytes(key), value);

    public static void PutBytes(this HashSession session, byte[] key, byte[] value)
    {
        var operation = new Upsert(value);
        Status status = session.Upsert(new BytesKey(key), ref operation);
        if (status == Status.Pending) session.CompletePending(wait: true); // a commit has the bucket
        else Assert.Equal(Status.Ok, status);
    }

    public static void Append(this HashSession session, int key, byte[] bytes, Action? copies = null) =>
        session.Append(BitConverter.GetBytes(key), bytes, copies);

    public static void Append(this HashSession session, byte[] key, byte[] bytes, Action? copies = null)
    {
        var operation = new Appending(bytes, copies);
        if (session.Rmw(new BytesKey(key), ref operation) == Status.Pending) session.CompletePending(wait: true);
    }

    public static byte[]? GetBytes(this HashSession session, int key)
    {
        var found = new Found();
        var operation = new Read(found);
        if (session.Read(new BytesKey(BitConverter.GetBytes(key)), ref operation) == Status.Pending)
            session.CompletePending(wait: true);
        return found.Value;
    }

    public sealed class Found
    {
        public byte[]? Value;
    }

    internal struct Read(Found found) : IReadOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public readonly void SingleRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public readonly void ConcurrentRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public readonly void Complete(Status status, Exception? error) { }
    }

    internal readonly struct Upsert(byte[] bytes) : IUpsertOperation
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

    internal readonly struct Appending(byte[] bytes, Action? copies = null) : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

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
            copies?.Invoke();
            newValue.Write(oldValue);
            newValue.Write(bytes);
        }

        public void Complete(Status status, Exception? error) { }
    }
}
