using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;

namespace Faster.Tests.Operations.Large;

/// <summary>Awaited reads of lengths in a store of bytes, whose waiting can be cancelled.</summary>
internal static class LengthReads
{
    public static ValueTask<int> ReadLengthAsync(this FasterSession session, int key, CancellationToken ct = default)
    {
        var operation = new LengthRead();
        Status status = session.Read(new BytesKey(BitConverter.GetBytes(key)), ref operation);
        return status == Status.Pending ? operation.Result!.WaitAsync(ct) : new ValueTask<int>(operation.Length);
    }

    private struct LengthRead : IReadOperation
    {
        public int Length;
        public AwaitableResult<int>? Result;

        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public readonly bool IsAwaited => true;

        public void Capture() => Result = AwaitableResult<int>.Rent();

        public void SingleRead(ReadOnlySpan<byte> value) => Length = value.Length;

        public void ConcurrentRead(ReadOnlySpan<byte> value) => Length = value.Length;

        public readonly void Complete(Status status, Exception? error) => Result!.Complete(Length, error);
    }
}
