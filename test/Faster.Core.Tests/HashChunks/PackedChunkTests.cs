using Faster.HashChunks;

namespace Faster.Tests.HashChunks;

/// <summary>Chunks in few bytes.</summary>
public sealed unsafe class PackedChunkTests
{
    [Fact]
    public void An_unpacked_chunk_is_the_one_that_was_packed()
    {
        var random = new Random(20261126);
        ulong* words = stackalloc ulong[512], back = stackalloc ulong[512];
        ulong* packed = stackalloc ulong[PackedChunk.MaxWords(512) + 1];
        for (int round = 0; round < 3_000; round++)
        {
            int capacity = 8 << random.Next(7), addressBits = random.Next(4, 49);
            new Span<ulong>(words, capacity).Clear();
            int count = random.Next(capacity + 1);
            for (int slot = 0; slot < count; slot++)
            {
                long address = random.Next(5) == 0 ? 0 : random.NextInt64(1L << addressBits) & ~7L;
                words[slot] = HashChunk.WordOf((uint)random.Next(1 << 14), address);
            }

            packed[PackedChunk.MaxWords(capacity)] = 0xA5;
            int length = PackedChunk.Pack(words, capacity, packed);
            Assert.InRange(length, 1, PackedChunk.MaxWords(capacity));
            Assert.Equal(0xA5UL, packed[PackedChunk.MaxWords(capacity)]);
            PackedChunk.Unpack(packed, back, capacity);
            Assert.True(new Span<ulong>(words, capacity).SequenceEqual(new Span<ulong>(back, capacity)));
        }
    }

    [Fact]
    public void A_usual_chunk_takes_half_of_its_bytes()
    {
        ulong* words = stackalloc ulong[32], packed = stackalloc ulong[PackedChunk.MaxWords(32)];
        new Span<ulong>(words, 32).Clear();
        for (int slot = 0; slot < 24; slot++)
            words[slot] = HashChunk.WordOf((uint)(slot * 681), (1L << 40) + ((slot + 1L) * 40_000_000 & ~7L));
        Assert.Equal(17, PackedChunk.Pack(words, 32, packed));
    }
}
