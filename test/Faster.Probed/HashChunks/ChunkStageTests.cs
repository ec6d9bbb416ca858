using System.Runtime.InteropServices;
using Faster.Contracts;
using Faster.HashChunks;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.HashChunks;

/// <summary>Copies of chunks, which several threads add and any thread reads.</summary>
public sealed unsafe class ChunkStageTests
{
    private const int Capacity = 4, OfOneSet = 16;

    [Fact]
    public void The_latest_copies_are_there_and_whole()
    {
        const int Chunks = 1_000, Sets = 6;
        using var stage = new ChunkStage(
            Chunks, ChunkStage.BytesFor(Sets * OfOneSet, Capacity, 0), Capacity, all: false);
        for (long address = 8; address <= 8_000; address += 8)
        {
            Add(stage, address / 8 % Chunks, address);
            Assert.True(stage.Has(address / 8 % Chunks, address));
            Assert.Equal(address, Read(stage, address / 8 % Chunks, address));
        }

        int kept = Enumerable.Range(1, Chunks).Count(n => stage.Has(n % Chunks, 8 * n));
        Assert.InRange(kept, Sets * OfOneSet * 3 / 5, Sets * OfOneSet);
    }

    [Fact]
    public void All_chunks_are_kept_where_there_is_memory_for_them_and_newer_copies_take_the_place_of_older_ones()
    {
        const int Chunks = 100; // not a multiple of those of a set
        using var stage = new ChunkStage(Chunks, 2 * ChunkStage.BytesFor(Chunks, Capacity, 0), Capacity, all: true);
        for (long version = 2; version <= 6; version++)
        {
            for (int chunk = 0; chunk < Chunks; chunk++) Add(stage, chunk, AddressOf(chunk, version));
            Add(stage, 7, AddressOf(7, version - 1)); // read from disk before, and added late
            for (int chunk = 0; chunk < Chunks; chunk++)
            {
                Assert.Equal(AddressOf(chunk, version), Read(stage, chunk, AddressOf(chunk, version)));
                Assert.False(stage.Has(chunk, AddressOf(chunk, version - 1)));
            }
        }

        static long AddressOf(int chunk, long version) => (version * 8_000) + (chunk * 8);
    }

    [Theory]
    [InlineData(327_690)] // five times 2^16, and ten
    [InlineData(1_174_112)]
    public void Two_chunks_of_one_set_are_never_taken_for_one_however_many_there_are(long chunks)
    {
        using var stage = new ChunkStage(chunks, bytes: 1, Capacity, all: false);
        for (long chunk = chunks - 1; chunk > 1 << 16; chunk -= 1 << 16)
        {
            for (int other = 0; other < 64; other++)
            {
                Add(stage, other, 1 << 20);
                Add(stage, chunk - other, 1 << 19);
                Assert.Equal(1 << 19, Read(stage, chunk - other, 1 << 19));
            }
        }
    }

    [Fact]
    public void Threads_that_add_different_chunks_to_one_set_write_whole_copies() => Explorer.Run(
        new ExplorationOptions { Schedules = 500, PreemptionBound = 3, StepLimit = 2000 }, AddBesideEachOther)
        .AssertClean();

    [Fact]
    public void A_set_that_two_threads_write_is_found() => Explorer.Run(
        new ExplorationOptions
        {
            Bugs = [SeededBug.StageWrittenWithoutClaim], Schedules = 4000, PreemptionBound = 3, StepLimit = 2000,
        },
        AddBesideEachOther).AssertFound("holds a word of another", "a packed chunk is whole");

    // One set: all three use the same memory.
    private static Scenario AddBesideEachOther()
    {
        var stage = new ChunkStage(chunks: 4, bytes: 1, Capacity, all: true);
        Add(stage, 0, 8);
        return new Scenario(
            [
                () => Add(stage, 0, 16), () => Add(stage, 1, 24), () =>
                {
                    _ = Read(stage, 0, 8);
                    _ = Read(stage, 0, 16);
                    _ = Read(stage, 1, 24);
                },
            ],
            () =>
            {
                long[] read = [Read(stage, 0, 8), Read(stage, 0, 16), Read(stage, 1, 24)];
                stage.Dispose();
                Assert.Contains(read, address => address != 0); // one finds the set free
            });
    }

    private static void Add(ChunkStage stage, long chunk, long address)
    {
        ulong* words = stackalloc ulong[Capacity];
        for (int slot = 0; slot < Capacity; slot++) words[slot] = HashChunk.WordOf((uint)slot, address);
        stage.Add(chunk, address, words);
    }

    // The address that all words of the copy say; 0: there is none.
    private static long Read(ChunkStage stage, long chunk, long address)
    {
        ulong[] words = GC.AllocateArray<ulong>(Capacity, pinned: true);
        if (!stage.TryCopy(chunk, address, (ulong*)Marshal.UnsafeAddrOfPinnedArrayElement(words, 0))) return 0;
        for (int slot = 0; slot < Capacity; slot++)
        {
            Assert.True(
                words[slot] == HashChunk.WordOf((uint)slot, address),
                $"The copy of {address} holds a word of another chunk.");
        }

        return address;
    }
}
