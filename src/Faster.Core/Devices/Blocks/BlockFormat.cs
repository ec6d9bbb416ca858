using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Invariants;

namespace Faster.Devices.Blocks;

/// <summary>
/// The blocks of the log on disk: 504 bytes of payload and a trailer of checksum and incarnation, so that the read of
/// one block detects a flipped bit and a misdirected, torn or stale block (docs/formats/log-blocks.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The checksum (CRC-32C) covers payload and incarnation, and is seeded with the store's identity and the block's
/// index on the device.</item>
/// <item>No block has incarnation 0, so a block of zeros is never valid.</item>
/// </list>
/// <para>Thread-safe: pure functions over memory that the caller owns. Little-endian, like all machines on which .NET
/// 10 supports the store. The checksum's methods are optimized from their first call on: recovery verifies hundreds of
/// thousands of blocks before the runtime would optimize them.</para>
/// </remarks>
internal static unsafe class BlockFormat
{
    /// <summary>The size in bytes of a block on disk.</summary>
    public const int BlockSize = 512;

    /// <summary>The bytes of the log in a block: a multiple of 8, so that records stay aligned.</summary>
    public const int Payload = BlockSize - sizeof(ulong);

    /// <summary>The offset of the checksum in a block.</summary>
    public const int ChecksumAt = Payload;

    /// <summary>The offset of the incarnation in a block.</summary>
    public const int IncarnationAt = Payload + sizeof(uint);

    private const int Together = 4; // blocks whose checksums are computed at once

    /// <summary>Writes blocks from a contiguous payload; missing bytes at its end are written as zeros.</summary>
    /// <param name="identity">The identity of the blocks.</param>
    /// <param name="firstBlock">The index of the first block on the device.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="payloadBytes">The bytes of the payload, at most 504 a block.</param>
    /// <param name="destination">Receives the blocks; does not overlap the payload.</param>
    /// <param name="blocks">The number of blocks to write.</param>
    public static void Encode(
        in BlockIdentity identity, long firstBlock, byte* payload, int payloadBytes, byte* destination, int blocks)
    {
        ArgumentOutOfRangeException.ThrowIfZero(identity.Incarnation, nameof(identity));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)payloadBytes, (long)blocks * Payload);
        Invariant.Check(
            firstBlock >= 0 && payloadBytes >= 0 && IsApart(payload, payloadBytes, destination, blocks),
            $"{blocks} blocks from {firstBlock} on are written beside their payload of {payloadBytes} bytes");
        for (int i = 0; i < blocks;)
        {
            byte* first = destination;
            int from = i, end = Math.Min(i + Together, blocks);
            for (; i < end; i++, destination += BlockSize)
            {
                int count = Math.Clamp(payloadBytes - i * Payload, 0, Payload);
                if (count == Payload) Unsafe.CopyBlock(destination, payload + (long)i * Payload, Payload);
                else CopyPart(payload + (long)i * Payload, count, destination);
            }

            WriteTrailers(identity, firstBlock + from, first, end - from);
        }
    }

    /// <summary>Writes every block of an extent from its page in memory.</summary>
    /// <param name="geometry">The log's geometry.</param>
    /// <param name="identity">The identity of the blocks.</param>
    /// <param name="page">The first byte of the page.</param>
    /// <param name="extent">
    /// The extent, by <see cref="BlockGeometry.Map"/> or <see cref="BlockGeometry.MapPage"/>.
    /// </param>
    /// <param name="destination">Memory for the extent's length.</param>
    public static void EncodeExtent(
        in BlockGeometry geometry, in BlockIdentity identity, byte* page, in BlockExtent extent, byte* destination)
    {
        int firstInPage = (int)(extent.TransferBlock % geometry.BlocksPerPage);
        long from = (long)firstInPage * Payload;
        long count = Math.Clamp(geometry.PageBytes - from, 0, (long)extent.TransferCount * Payload);
        Encode(identity, extent.TransferBlock, page + from, (int)count, destination, extent.TransferCount);
    }

    /// <summary>Verifies blocks and joins their payloads.</summary>
    /// <param name="identity">The identity that the blocks must have.</param>
    /// <param name="firstBlock">The index of the first block on the device.</param>
    /// <param name="source">The blocks.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <param name="destination">Memory for 504 bytes a block; may be <paramref name="source"/> itself.</param>
    /// <param name="damaged">The index on the device of the first damaged block, or -1.</param>
    /// <returns>Whether all blocks are valid. If not, the destination's content is undefined.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static bool TryDecode(
        in BlockIdentity identity, long firstBlock, byte* source, int blocks, byte* destination, out long damaged)
    {
        for (int i = 0; i < blocks;)
        {
            int some = Math.Min(blocks - i, Together);
            damaged = FirstDamaged(identity, firstBlock + i, source, some);
            if (damaged >= 0) return false;
            for (int end = i + some; i < end; i++, source += BlockSize, destination += Payload)
                if (source != destination) Buffer.MemoryCopy(source, destination, Payload, Payload);
        }

        damaged = -1;
        return true;
    }

    /// <summary>Verifies blocks that follow one another.</summary>
    /// <param name="identity">The identity that the blocks must have.</param>
    /// <param name="firstBlock">The index of the first block on the device.</param>
    /// <param name="blocks">The blocks.</param>
    /// <param name="count">The number of blocks.</param>
    /// <returns>The index on the device of the first damaged block, or -1.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static long FirstDamaged(in BlockIdentity identity, long firstBlock, byte* blocks, int count)
    {
        long index = firstBlock, end = firstBlock + count;
        uint* sums = stackalloc uint[Together];
        for (; end - index >= Together; index += Together, blocks += Together * BlockSize)
        {
            ChecksumTogether(identity, index, blocks, sums);
            for (int i = 0; i < Together; i++)
            {
                byte* block = blocks + (i * BlockSize);
                bool valid = *(uint*)(block + IncarnationAt) == identity.Incarnation
                    && *(uint*)(block + ChecksumAt) == sums[i];
                if (!valid) return index + i;
            }
        }

        for (; index < end; index++, blocks += BlockSize)
            if (!IsValid(identity, index, blocks)) return index;
        return -1;
    }

    /// <summary>Writes the trailers of blocks that follow one another, whose payload is in place.</summary>
    /// <param name="identity">The identity of the blocks.</param>
    /// <param name="firstBlock">The index of the first block on the device.</param>
    /// <param name="blocks">The blocks.</param>
    /// <param name="count">The number of blocks.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void WriteTrailers(in BlockIdentity identity, long firstBlock, byte* blocks, int count)
    {
        long index = firstBlock, end = firstBlock + count;
        uint* sums = stackalloc uint[Together];
        for (; end - index >= Together; index += Together, blocks += Together * BlockSize)
        {
            for (int i = 0; i < Together; i++)
                *(uint*)(blocks + (i * BlockSize) + IncarnationAt) = identity.Incarnation;
            ChecksumTogether(identity, index, blocks, sums);
            for (int i = 0; i < Together; i++) *(uint*)(blocks + (i * BlockSize) + ChecksumAt) = sums[i];
        }

        for (; index < end; index++, blocks += BlockSize) WriteTrailer(identity, index, blocks);
    }

    /// <summary>Verifies the blocks of an extent that hold bytes of its range, and joins their payloads.</summary>
    /// <param name="identity">The identity that the blocks must have.</param>
    /// <param name="extent">The extent.</param>
    /// <param name="transferred">The bytes that were read: the extent's length.</param>
    /// <param name="destination">
    /// Memory for 504 bytes a block of the extent's range, which begins there at <see cref="BlockExtent.Skip"/>; may be
    /// <paramref name="transferred"/> itself.
    /// </param>
    /// <param name="damaged">The index on the device of the first damaged block, or -1.</param>
    public static bool TryDecodeExtent(
        in BlockIdentity identity, in BlockExtent extent, byte* transferred, byte* destination, out long damaged) =>
        TryDecode(
            identity, extent.FirstBlock, transferred + extent.BlocksAt, extent.BlockCount, destination, out damaged);

    /// <summary>Writes the trailer of a block whose payload is in place.</summary>
    /// <param name="identity">The identity of the block.</param>
    /// <param name="index">The block's index on the device.</param>
    /// <param name="block">The block.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void WriteTrailer(in BlockIdentity identity, long index, byte* block)
    {
        *(uint*)(block + IncarnationAt) = identity.Incarnation;
        *(uint*)(block + ChecksumAt) = Checksum(identity, index, block);
    }

    /// <summary>Whether a block is intact, in its place, of this store, and of the expected incarnation.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static bool IsValid(in BlockIdentity identity, long index, byte* block) =>
        *(uint*)(block + IncarnationAt) == identity.Incarnation
        && *(uint*)(block + ChecksumAt) == Checksum(identity, index, block);

    // Uses the store's identity, but the block's own incarnation, which is the last word that the checksum covers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Checksum(in BlockIdentity identity, long index, byte* block)
    {
        uint crc = BitOperations.Crc32C(BitOperations.Crc32C(uint.MaxValue, identity.Identity), (ulong)index);
        for (ulong* word = (ulong*)block, end = (ulong*)(block + Payload); word < end; word++)
            crc = BitOperations.Crc32C(crc, *word);
        return ~BitOperations.Crc32C(crc, *(uint*)(block + IncarnationAt));
    }

    // The checksums of several blocks at once: each step of one has to wait for the step before it, which takes a
    // processor as long as several independent ones.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void ChecksumTogether(in BlockIdentity identity, long index, byte* blocks, uint* sums)
    {
        uint seed = BitOperations.Crc32C(uint.MaxValue, identity.Identity);
        uint crc0 = BitOperations.Crc32C(seed, (ulong)index), crc1 = BitOperations.Crc32C(seed, (ulong)index + 1);
        uint crc2 = BitOperations.Crc32C(seed, (ulong)index + 2), crc3 = BitOperations.Crc32C(seed, (ulong)index + 3);
        for (byte* word = blocks, end = blocks + Payload; word < end; word += sizeof(ulong))
        {
            crc0 = BitOperations.Crc32C(crc0, *(ulong*)word);
            crc1 = BitOperations.Crc32C(crc1, *(ulong*)(word + BlockSize));
            crc2 = BitOperations.Crc32C(crc2, *(ulong*)(word + (2 * BlockSize)));
            crc3 = BitOperations.Crc32C(crc3, *(ulong*)(word + (3 * BlockSize)));
        }

        byte* last = blocks + IncarnationAt;
        sums[0] = ~BitOperations.Crc32C(crc0, *(uint*)last);
        sums[1] = ~BitOperations.Crc32C(crc1, *(uint*)(last + BlockSize));
        sums[2] = ~BitOperations.Crc32C(crc2, *(uint*)(last + (2 * BlockSize)));
        sums[3] = ~BitOperations.Crc32C(crc3, *(uint*)(last + (3 * BlockSize)));
    }

    private static bool IsApart(byte* payload, int bytes, byte* destination, int blocks) =>
        payload + bytes <= destination || destination + (long)blocks * BlockSize <= payload;

    private static void CopyPart(byte* payload, int count, byte* destination)
    {
        Unsafe.CopyBlock(destination, payload, (uint)count);
        NativeMemory.Clear(destination + count, (nuint)(Payload - count));
    }
}
