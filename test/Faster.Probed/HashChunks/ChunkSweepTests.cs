using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.HashChunks;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Testing;
using Faster.Tests.Faults;
using Faster.Tests.Index.Entries;
using Faster.Tests.Scheduling;

namespace Faster.Tests.HashChunks;

/// <summary>
/// Chunks are brought page by page before they are changed, beside other changes and in spite of faults.
/// </summary>
public sealed unsafe class ChunkSweepTests
{
    private const int Chunks = 64;

    [Fact]
    public void A_sweep_reads_pages_instead_of_chunks()
    {
        var epochs = new EpochTable();
        using var world = new ChunkWorld(epochs, Chunks);
        using EntrySession session = Start(epochs, world);
        AddToAll(session);
        world.Age();
        Sweep(world, session);
        Assert.Equal(0, world.Index.Reads);
        AssertAll(2, session);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_page_that_can_not_be_read_brings_nothing_and_loses_nothing(bool isDamaged)
    {
        var epochs = new EpochTable();
        var device = new FaultDevice(new MemoryDevice());
        using var world = new ChunkWorld(epochs, Chunks, device: device);
        using EntrySession session = Start(epochs, world);
        AddToAll(session);
        world.Age();
        device.Arm(isDamaged
            ? new FaultPlan { BitFlips = [new BitFlip(1000, 3)] }
            : new FaultPlan { Faults = [new Fault(FaultTarget.Read, 1)] });
        using IEntrySweep sweep = world.Index.BeginSweep();
        sweep.Run(Places(sweep), (_, _) => { });
        device.Arm(FaultPlan.None);
        AssertAll(1, session);
        Assert.True(world.Index.Reads > 0, "The fault met no page.");
    }

    [Fact]
    public void Few_changes_of_a_page_are_left_to_reads_of_chunks()
    {
        var epochs = new EpochTable();
        using var world = new ChunkWorld(epochs, Chunks);
        using EntrySession session = Start(epochs, world);
        AddToAll(session);
        world.Age();
        long appended = world.Index.Log.Appended;
        using IEntrySweep sweep = world.Index.BeginSweep();
        sweep.Run([sweep.PlaceOf(Hash(5))], (from, to) => Assert.Equal((0, 1), (from, to)));
        Assert.Equal(appended, world.Index.Log.Appended);
        Assert.Equal(1, session.Get(Hash(5)));
        Assert.Equal(1, world.Index.Reads);
    }

    [Fact]
    public void A_sweep_that_ends_early_waits_for_its_reads()
    {
        var epochs = new EpochTable();
        using var world = new ChunkWorld(epochs, Chunks);
        using EntrySession session = Start(epochs, world);
        AddToAll(session);
        world.Age();
        using (IEntrySweep sweep = world.Index.BeginSweep())
        {
            Assert.Throws<OperationCanceledException>(
                () => sweep.Run(Places(sweep), (_, _) => throw new OperationCanceledException()));
            sweep.Run(Places(sweep), (_, _) => { });
        }

        AssertAll(1, session);
    }

    [Fact]
    public void A_chunk_that_is_brought_beside_changes_of_it_loses_none() =>
        Explore(400, BringBesideChanges).AssertClean();

    [Fact]
    public void A_chunk_that_is_brought_over_a_newer_one_is_found() =>
        Explore(4000, BringBesideChanges, SeededBug.ChunkLinkedWithoutCompare).AssertFound("Values differ");

    [Fact]
    public void A_dead_chunk_that_is_unlinked_beside_changes_of_it_loses_none() =>
        Explore(400, UnlinkBesideChanges).AssertClean();

    [Fact]
    public void A_dead_chunk_that_is_unlinked_in_place_of_a_newer_one_is_found() =>
        Explore(4000, UnlinkBesideChanges, SeededBug.ChunkLinkedWithoutCompare).AssertFound("Values differ");

    private static ExplorationResult Explore(int schedules, Func<Scenario> factory, params SeededBug[] bugs) =>
        Explorer.Run(
            new ExplorationOptions { Bugs = bugs, Schedules = schedules, PreemptionBound = 3, StepLimit = 4000 },
            factory);

    // The chunk's only entry is dead. It is unlinked, and later what has been made of it, while two threads insert.
    private static Scenario UnlinkBesideChanges()
    {
        var world = new EntryWorld(EntryKind.Chunks, coldBegin: 10 * sizeof(long));
        ChunkIndex index = world.Chunks!.Index;
        EntrySession setup = world.Start(), one = world.Start(), two = world.Start();
        ulong first = EntryWorld.Hash(1), second = EntryWorld.Hash(2);
        Assert.True(setup.Insert(first, 1));
        long chunk = index.ChunkOf(first), at = index.Directory.AddressOf(chunk);
        while (index.Log.Pages.SafeReadOnlyAddress <= at) world.Age();
        EpochSlot* slot = index.Epochs.Acquire("a compaction");
        return new Scenario(
            world.Chunks.Threads(
                () => one.Add(first, 100),
                () =>
                {
                    two.Add(second, 10);
                    two.Add(first, 100);
                },
                () =>
                {
                    for (int i = 0; i < 2; i++)
                    {
                        index.Epochs.Enter(slot);
                        _ = index.MoveUnderEpoch(chunk, index.Log.Pages.SafeReadOnlyAddress);
                        index.Epochs.Leave(slot);
                    }
                }),
            () =>
            {
                index.Epochs.Release(slot);
                (long firstNow, long secondNow) = (setup.Get(first), setup.Get(second));
                foreach (EntrySession session in new[] { setup, one, two }) session.Dispose();
                world.Dispose();
                Assert.Equal((200, 10), (firstNow, secondNow));
            });
    }

    // What a sweep has read of a chunk is used while two threads change it.
    private static Scenario BringBesideChanges()
    {
        var world = new EntryWorld(EntryKind.Chunks);
        ChunkIndex index = world.Chunks!.Index;
        EntrySession setup = world.Start(), one = world.Start(), two = world.Start();
        ulong first = EntryWorld.Hash(1), second = EntryWorld.Hash(2);
        setup.Add(first, 1);
        long at = index.Directory.AddressOf(index.ChunkOf(first));
        byte[] record = GC.AllocateArray<byte>(index.Log.RecordBytes, pinned: true);
        new ReadOnlySpan<byte>(index.Log.Pages.Pointer(at), record.Length).CopyTo(record);
        while (index.Log.Pages.HeadAddress <= at) world.Age();
        EpochSlot* slot = index.Epochs.Acquire("a sweep");
        return new Scenario(
            world.Chunks.Threads(
                () => one.Add(first, 10),
                () =>
                {
                    two.Add(second, 1);
                    two.Add(first, 100);
                },
                () =>
                {
                    index.Epochs.Enter(slot);
                    _ = index.TryBring(at, (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(record, 0));
                    index.Epochs.Leave(slot);
                }),
            () =>
            {
                index.Epochs.Release(slot);
                (long firstNow, long secondNow) = (setup.Get(first), setup.Get(second));
                foreach (EntrySession session in new[] { setup, one, two }) session.Dispose();
                world.Dispose();
                Assert.Equal((111, 1), (firstNow, secondNow));
            });
    }

    private static void Sweep(ChunkWorld world, EntrySession session)
    {
        using IEntrySweep sweep = world.Index.BeginSweep();
        int[] chunks = [.. Enumerable.Range(0, Chunks)];
        long[] places = [.. chunks.Select(chunk => sweep.PlaceOf(Hash(chunk)))];
        places.AsSpan().Sort(chunks.AsSpan());
        int next = 0;
        sweep.Run(places, (from, to) =>
        {
            Assert.Equal(next, from);
            for (next = to; from < to; from++) session.Add(Hash(chunks[from]), 1);
        });
        Assert.Equal(Chunks, next);
    }

    private static long[] Places(IEntrySweep sweep) =>
        [.. Enumerable.Range(0, Chunks).Select(chunk => sweep.PlaceOf(Hash(chunk))).Order()];

    private static void AddToAll(EntrySession session)
    {
        for (int chunk = 0; chunk < Chunks; chunk++) session.Add(Hash(chunk), 1);
    }

    private static void AssertAll(long expected, EntrySession session)
    {
        for (int chunk = 0; chunk < Chunks; chunk++) Assert.Equal(expected, session.Get(Hash(chunk)));
    }

    private static EntrySession Start(EpochTable epochs, ChunkWorld world) =>
        EntrySession.Of<ChunkEntries>(epochs, world.Index);

    private static ulong Hash(int chunk) => HashBits.HashOf(chunk, Chunks, 7);
}
