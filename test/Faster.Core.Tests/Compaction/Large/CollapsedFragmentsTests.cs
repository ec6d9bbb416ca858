using System.Buffers;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Operations;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Compaction.Large;

/// <summary>Deltas whose merge is a value larger than a page.</summary>
public sealed class CollapsedFragmentsTests
{
    private const int Half = 3_000;

    [Fact]
    public Task A_second_collapse_of_the_parts_releases_the_chunks_of_the_first() => Guard.RunAsync(async () =>
    {
        int calls = 0;
        RecordSchema schema = BytesOperations.Schema with
        {
            Merger = (_, older, newer, merged) =>
            {
                merged.Write(older);
                merged.Write(newer);
                if (calls++ > 0) merged.Write<byte>([7]); // as if another delta had come during the write
            },
        };
        await using FasterStore store = await FasterStore.OpenAsync(
            null, LargeStore.Options with { Device = new MemoryDevice() }, schema, default);
        using FasterSession session = store.StartSession();
        session.PutBytes(1, LargeStore.Value(Half, 1));
        for (int key = 2; key < 1_000; key++) session.PutBytes(key, LargeStore.Value(Half, key)); // to the disk with it
        var part = new Part(LargeStore.Value(Half, 0));
        Assert.Equal(Status.Ok, session.Rmw(new BytesKey(BitConverter.GetBytes(1)), ref part));
        await store.CompactAsync(store.Log.TailAddress);
        Assert.Equal(3, calls);
        Assert.Equal(0, store.Tier.PagedLog!.Writes.Count);
        Assert.Equal([.. LargeStore.Value(Half, 1), .. LargeStore.Value(Half, 0), 7], session.GetBytes(1));
    });

    private readonly struct Part(byte[] bytes) : IRmwOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public static bool Merges => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void InitialUpdate(ValueBuffer value) => value.Write(bytes);

        public bool InPlaceUpdate(ref ValueSlot value) => false;

        public void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue) =>
            throw new InvalidOperationException("It is on disk.");

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
            throw new InvalidOperationException("It is compaction that merges.");

        public void Complete(Status status, Exception? error) { }
    }
}
