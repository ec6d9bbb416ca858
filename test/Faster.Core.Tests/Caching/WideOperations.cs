using Faster.Contracts;
using Faster.Engines;

namespace Faster.Tests.Caching;

/// <summary>Operations of a store of long → 104 bytes, of which the first eight are told.</summary>
internal static class WideOperations
{
    private const int Size = 104;

    public static readonly RecordSchema Schema = new(8, 8, Size, "long", "104 bytes");

    public static void PutWide(this FasterSession session, long key, long number)
    {
        var operation = new Upsert(number);
        Assert.Equal(Status.Ok, session.Upsert(new UnmanagedKey<long>(key), ref operation));
    }

    public static long GetWide(this FasterSession session, long key)
    {
        var told = new StrongBox();
        var operation = new Read(told);
        if (session.Read(new UnmanagedKey<long>(key), ref operation) == Status.Pending)
            session.CompletePending(wait: true);
        return told.Value;
    }

    private sealed class StrongBox
    {
        public long Value = -1;
    }

    private readonly struct Read(StrongBox told) : IReadOperation
    {
        public static int ValueSize => Size;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => told.Value = BitConverter.ToInt64(value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => SingleRead(value);

        public void Complete(Status status, Exception? error) => Assert.Null(error);
    }

    private readonly struct Upsert(long number) : IUpsertOperation
    {
        public static int ValueSize => Size;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public int Length => Size;

        public void Capture() { }

        public void SingleWrite(Span<byte> value) => BitConverter.TryWriteBytes(value, number);

        public bool ConcurrentWrite(ref ValueSlot value) => BitConverter.TryWriteBytes(value.Bytes, number);

        public void Complete(Status status, Exception? error) => Assert.Null(error);
    }
}
