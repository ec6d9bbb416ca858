using Faster.Contracts;
using Faster.Devices.IOUring;
using Faster.Engines.HotRing;

namespace Faster.Tests.Engines.HotRing;

/// <summary>An insertion that waits for memory which a user function holds up fails, and names the session.</summary>
public sealed class RingStallTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1.5); // statistics name who stalls for a second

    [Fact]
    public async Task An_insertion_that_waits_for_a_user_function_fails_and_the_session_is_named()
    {
        using var store = new HotRingStore(
            new HotRingOptions { MemoryBudget = HotRingOptions.MinMemoryBudget, MaxAccesses = double.PositiveInfinity },
            RingCalls.Schema);
        using HotRingSession session = store.StartSession();
        long count = 0;
        void Fill()
        {
            for (; ; count++) _ = RingCalls.Put(session, count);
        }

        Assert.Throws<LimitExceededException>(Fill);

        using ManualResetEventSlim isInside = new(), mayLeave = new();
        Task reader = Task.Run(() =>
        {
            using HotRingSession other = store.StartSession();
            var wait = new WaitingRead(isInside, mayLeave);
            Assert.Equal(Status.Ok, other.Read(new UnmanagedKey<long>(0), ref wait));
        });
        isInside.Wait();
        for (long key = 1; key < count; key++) Assert.Equal(Status.Ok, RingCalls.Remove(session, key));

        store.StallLimit = Limit;
        var held = Errors.Throws(ErrorReason.UserFunction, () => RingCalls.Put(session, count));
        Assert.Contains(
            "for memory: an unnamed session has been inside its epoch", held.Message, StringComparison.Ordinal);
        Assert.Equal("an unnamed session", store.Statistics.StalledBy);
        Assert.Equal(1, store.Statistics.Records);

        store.StallLimit = TestBudget.StallTimeout;
        mayLeave.Set();
        await reader;
        Assert.Equal(Status.Ok, RingCalls.Put(session, count));
        Assert.Null(store.Statistics.StalledBy);
    }

    /// <summary>A reader function that waits.</summary>
    private readonly struct WaitingRead(ManualResetEventSlim isInside, ManualResetEventSlim mayLeave) : IReadOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => false;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value)
        {
            isInside.Set();
            mayLeave.Wait();
        }

        public void ConcurrentRead(ReadOnlySpan<byte> value) => SingleRead(value);

        public void Complete(Status status, Exception? error) { }
    }
}
