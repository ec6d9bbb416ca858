using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;

namespace Faster.Tests.Operations;

/// <summary>What a user's code does not write of a value that it makes is zero, whatever lay there before.</summary>
public sealed class ZeroedValueTests
{
    private const int Rounds = 20_000, RecordSize = 24;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_value_in_the_place_of_one_that_was_deleted_begins_with_zeros(bool inMemory)
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null, new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(4),
                Allocator = inMemory ? RecordAllocatorKind.InMemory : RecordAllocatorKind.Hybrid,
            },
            CounterOperations.Schema, default);
        using FasterSession session = store.StartSession();
        session.Put(1, -1);
        if (!inMemory) _ = store.Analytics.Source.Log.ShiftReadOnlyToTail();
        session.Put(1, -1); // before an older record: its deletion leaves a tombstone in its place
        long tail = store.Log.TailAddress;
        // In memory the place is free when the epoch has passed: most of many values get one that was in use.
        for (int left = inMemory ? Rounds : 1; left > 0; left--)
        {
            session.Put(1, -1);
            Assert.Equal(Status.Ok, session.Remove(1));
            var partly = new FirstByte(5);
            Assert.Equal(Status.Ok, session.Upsert(CounterOperations.Key(1), ref partly));
            Assert.Equal(5, session.Get(1));
        }

        Assert.InRange(store.Log.TailAddress, tail, tail + (inMemory ? Rounds * RecordSize / 2 : 0));
    }

    private readonly struct FirstByte(byte value) : IUpsertOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public bool IsAwaited => false;

        public int Length => 8;

        public void Capture() { }

        public void SingleWrite(Span<byte> destination) => destination[0] = value;

        public bool ConcurrentWrite(ref ValueSlot slot) => throw new InvalidOperationException("There is no value.");

        public void Complete(Status status, Exception? error) { }
    }
}
