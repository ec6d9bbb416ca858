using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.HashChunks;
using Faster.Tests.Scheduling;

namespace Faster.Tests.HashChunks;

/// <summary>Copies of chunks, which several threads add and any thread reads.</summary>
public sealed unsafe class ChunkStageTests
{
    private const int Capacity = 4;

    [Fact]
    public void The_latest_copies_are_there_and_whole()
    {
        using var stage = new ChunkStage<NoProbe>(chunks: 100, Capacity); // not a power of two
        for (long address = 8; address <= 8_000; address += 8)
        {
            Add(stage, address);
            Assert.True(stage.Has(address));
            Assert.Equal(address, Read(stage, address));
        }

        int kept = Enumerable.Range(1, 1_000).Count(n => stage.Has(8 * n));
        Assert.InRange(kept, 60, 100);
    }

    [Fact]
    public void Threads_that_add_different_chunks_to_one_set_write_whole_copies() => Explorer.Run(
        new ExplorationOptions { Schedules = 500, PreemptionBound = 3, StepLimit = 2000 }, AddBesideEachOther)
        .AssertClean();

    [Fact]
    public void A_frame_that_two_threads_write_is_found() => Explorer.Run(
        new ExplorationOptions
        {
            Bugs = [SeededBug.StageWrittenWithoutClaim], Schedules = 4000, PreemptionBound = 3, StepLimit = 2000,
        },
        AddBesideEachOther).AssertFound("holds a word of another", "Collections differ");

    // One set: all three use the same frames.
    private static Scenario AddBesideEachOther()
    {
        var stage = new ChunkStage<ScheduledProbe>(chunks: 8, Capacity);
        return new Scenario(
            [
                () => Add(stage, 8), () => Add(stage, 16), () =>
                {
                    _ = Read(stage, 8);
                    _ = Read(stage, 16);
                },
            ],
            () =>
            {
                long[] read = [Read(stage, 8), Read(stage, 16)];
                stage.Dispose();
                Assert.Equal([8, 16], read);
            });
    }

    private static void Add<TProbe>(ChunkStage<TProbe> stage, long address)
        where TProbe : struct, IProbe
    {
        ulong* words = stackalloc ulong[Capacity];
        new Span<ulong>(words, Capacity).Fill((ulong)address);
        stage.Add(address, words);
    }

    // The address that all words of the copy say; 0: there is none.
    private static long Read<TProbe>(ChunkStage<TProbe> stage, long address)
        where TProbe : struct, IProbe
    {
        ulong[] words = GC.AllocateArray<ulong>(Capacity, pinned: true);
        if (!stage.TryCopy(address, (ulong*)Marshal.UnsafeAddrOfPinnedArrayElement(words, 0))) return 0;
        Assert.True(
            words.All(word => word == (ulong)address), $"The copy of {address} holds a word of another chunk.");
        return address;
    }
}
