using System.Buffers;
using Faster.Contracts;
using Faster.LogSessions;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.Operations.Merging;

/// <summary>Operations on bytes that are appended to and merged, written by hand, in the status form.</summary>
internal static class MergedBytesOperations
{
    /// <summary>The merger.</summary>
    public static void Join(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
    {
        merged.Write(older);
        merged.Write(newer);
    }

    public static void AppendMerged(this HashSession session, int key, byte[] part)
    {
        var append = new Append(part);
        if (session.Rmw(new BytesKey(BitConverter.GetBytes(key)), ref append) == Status.Pending)
            session.CompletePending(wait: true);
    }

    public static byte[]? ReadMerged(this HashSession session, int key)
    {
        var found = new BytesOperations.Found();
        var read = new Read(found);
        if (session.Read(new BytesKey(BitConverter.GetBytes(key)), ref read) == Status.Pending)
            session.CompletePending(wait: true);
        return found.Value;
    }

    private readonly struct Append(byte[] part) : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Join(older, newer, merged);

        public void InitialUpdate(ValueBuffer value) => value.Write(part);

        public bool InPlaceUpdate(ref ValueSlot value)
        {
            int length = value.Length;
            if (!value.TryResize(length + part.Length)) return false;
            part.CopyTo(value.Bytes[length..]);
            return true;
        }

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) => Join(oldValue, part, newValue);

        public void Complete(Status status, Exception? error) => Assert.Null(error);
    }

    private readonly struct Read(BytesOperations.Found found) : IReadOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            Join(older, newer, merged);

        public void SingleRead(ReadOnlySpan<byte> value) => found.Value = value.ToArray();

        public void ConcurrentRead(ReadOnlySpan<byte> value) => SingleRead(value);

        public void Complete(Status status, Exception? error) => Assert.Null(error);
    }
}
