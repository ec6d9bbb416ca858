using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Devices;

/// <summary>
/// The blocks of the log on disk: 504 bytes of payload and a trailer of checksum and incarnation, so that a flipped
/// bit, a misdirected, a torn and a stale block are found by the read of that block alone (docs/formats/log-blocks.md).
/// </summary>
/// <remarks>
/// Invariant: the checksum (CRC-32C) covers payload and incarnation, and begins from the store's identity and the
/// block's index on the device. Thread-safe: pure functions over memory that the caller owns. Little-endian, as the
/// machines are that .NET 10 supports the store on. Checksums are optimized from the first call on: recovery verifies
/// hundreds of thousands of blocks before the runtime would get round to it.
/// </remarks>
internal static unsafe class BlockFormat
{
    /// <summary>The bytes of a block on disk.</summary>
    public const int BlockSize = 512;

    /// <summary>The bytes of log in a block: a multiple of 8, so that records stay aligned.</summary>
    public const int Payload = BlockSize - sizeof(ulong);

    /// <summary>Where the checksum lies in a block.</summary>
    public const int ChecksumAt = Payload;

    /// <summary>Where the incarnation lies in a block.</summary>
    public const int IncarnationAt = Payload + sizeof(uint);

    /// <summary>Writes blocks from a contiguous payload; what lacks at its end is written as zeros.</summary>
    /// <param name="seal">Whose blocks these are.</param>
    /// <param name="firstBlock">The index of the first on the device.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="payloadBytes">Its bytes, at most 504 a block.</param>
    /// <param name="destination">Where the blocks go; does not overlap the payload.</param>
    /// <param name="blocks">How many blocks to write.</param>
    public static void Encode(
        in BlockSeal seal, long firstBlock, byte* payload, int payloadBytes, byte* destination, int blocks)
    {
        ArgumentOutOfRangeException.ThrowIfZero(seal.Incarnation, nameof(seal));
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)payloadBytes, (long)blocks * Payload);
        for (int i = 0; i < blocks; i++, destination += BlockSize)
        {
            int count = Math.Clamp(payloadBytes - i * Payload, 0, Payload);
            if (count == Payload) Unsafe.CopyBlock(destination, payload + (long)i * Payload, Payload);
            else CopyPart(payload + (long)i * Payload, count, destination);
            Seal(seal, firstBlock + i, destination);
        }
    }

    /// <summary>Writes every block of an extent from the page in memory that it lies in.</summary>
    /// <param name="geometry">The log's geometry.</param>
    /// <param name="seal">Whose blocks these are.</param>
    /// <param name="page">The first byte of the page.</param>
    /// <param name="extent">
    /// The extent, by <see cref="BlockGeometry.Map"/> or <see cref="BlockGeometry.MapPage"/>.
    /// </param>
    /// <param name="destination">Room for the extent's length.</param>
    public static void EncodeExtent(
        in BlockGeometry geometry, in BlockSeal seal, byte* page, in BlockExtent extent, byte* destination)
    {
        int firstInPage = (int)(extent.TransferBlock % geometry.BlocksPerPage);
        long from = (long)firstInPage * Payload;
        long count = Math.Clamp(geometry.PageBytes - from, 0, (long)extent.TransferCount * Payload);
        Encode(seal, extent.TransferBlock, page + from, (int)count, destination, extent.TransferCount);
    }

    /// <summary>Verifies blocks and puts their payloads together.</summary>
    /// <param name="seal">Whose blocks these must be.</param>
    /// <param name="firstBlock">The index of the first on the device.</param>
    /// <param name="source">The blocks.</param>
    /// <param name="blocks">How many.</param>
    /// <param name="destination">Room for 504 bytes a block; may be <paramref name="source"/> itself.</param>
    /// <param name="damaged">The index on the device of the first block that is wrong, or -1.</param>
    /// <returns>Whether all are right. If not, the destination's content is undefined.</returns>
    public static bool TryDecode(
        in BlockSeal seal, long firstBlock, byte* source, int blocks, byte* destination, out long damaged)
    {
        for (int i = 0; i < blocks; i++, source += BlockSize, destination += Payload)
        {
            if (!IsValid(seal, firstBlock + i, source))
            {
                damaged = firstBlock + i;
                return false;
            }

            if (source != destination) Buffer.MemoryCopy(source, destination, Payload, Payload);
        }

        damaged = -1;
        return true;
    }

    /// <summary>
    /// Verifies the blocks of an extent that hold bytes of its range, and puts their payloads together.
    /// </summary>
    /// <param name="seal">Whose blocks these must be.</param>
    /// <param name="extent">The extent.</param>
    /// <param name="transferred">What was read: the extent's length of bytes.</param>
    /// <param name="destination">
    /// Room for 504 bytes a block of the extent's range, which begins at <see cref="BlockExtent.Skip"/> in it; may be
    /// <paramref name="transferred"/> itself.
    /// </param>
    /// <param name="damaged">The index on the device of the first block that is wrong, or -1.</param>
    public static bool TryDecodeExtent(
        in BlockSeal seal, in BlockExtent extent, byte* transferred, byte* destination, out long damaged) =>
        TryDecode(
            seal, extent.FirstBlock, transferred + extent.BlocksAt, extent.BlockCount, destination, out damaged);

    /// <summary>Seals a block whose payload is in place.</summary>
    /// <param name="seal">Whose block it is.</param>
    /// <param name="index">Its index on the device.</param>
    /// <param name="block">The block.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Seal(in BlockSeal seal, long index, byte* block)
    {
        *(uint*)(block + IncarnationAt) = seal.Incarnation;
        *(uint*)(block + ChecksumAt) = Checksum(seal, index, block);
    }

    /// <summary>Whether a block is whole, in its place, this store's, and of the expected incarnation.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static bool IsValid(in BlockSeal seal, long index, byte* block) =>
        *(uint*)(block + IncarnationAt) == seal.Incarnation
        && *(uint*)(block + ChecksumAt) == Checksum(seal, index, block);

    // Takes the seal's identity but the block's own incarnation, which is the last word that it covers.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Checksum(in BlockSeal seal, long index, byte* block)
    {
        uint crc = BitOperations.Crc32C(BitOperations.Crc32C(uint.MaxValue, seal.Identity), (ulong)index);
        for (ulong* word = (ulong*)block, end = (ulong*)(block + Payload); word < end; word++)
            crc = BitOperations.Crc32C(crc, *word);
        return ~BitOperations.Crc32C(crc, *(uint*)(block + IncarnationAt));
    }

    private static void CopyPart(byte* payload, int count, byte* destination)
    {
        Unsafe.CopyBlock(destination, payload, (uint)count);
        NativeMemory.Clear(destination + count, (nuint)(Payload - count));
    }
}
