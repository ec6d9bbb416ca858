using System.Buffers.Binary;
using Faster.Analytics.Transfer;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;

namespace Faster.Tests.Fuzzing;

/// <summary>Makes the checksums of mutated bytes right again, so that what lies behind them is read.</summary>
internal static unsafe class NewChecksums
{
    /// <summary>A metadata file's length and checksum.</summary>
    public static byte[] Metadata(byte[] bytes)
    {
        if (bytes.Length < 20) return bytes;
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(MetadataReader.LengthAt), bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(^4), MetadataReader.Checksum(bytes));
        return bytes;
    }

    /// <summary>The head of an export and each of its blocks, as far as the lengths lead.</summary>
    public static byte[] Export(byte[] bytes)
    {
        if (bytes.Length < ExportFormat.HeadStart) return bytes;
        uint head = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(MetadataReader.LengthAt));
        if (head <= ExportFormat.HeadStart + 4 || head > bytes.Length) return bytes;
        Span<byte> first = bytes.AsSpan(0, (int)head);
        BinaryPrimitives.WriteUInt32LittleEndian(first[^4..], MetadataReader.Checksum(first));
        var checksum = new StreamChecksum();
        checksum.Add(first);
        int at = (int)head;
        while (Check(8, ref checksum))
        {
            uint length = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at - 12));
            if (length == 0) _ = Check(sizeof(long), ref checksum);
            if (length == 0 || !Check(length, ref checksum)) break;
        }

        return bytes;

        bool Check(long length, ref StreamChecksum checksum)
        {
            if (length > bytes.Length - at - 4) return false;
            checksum.Add(bytes.AsSpan(at, (int)length));
            at += (int)length;
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at), checksum.Value);
            at += 4;
            return true;
        }
    }

    /// <summary>Every whole block, of the incarnation that it names.</summary>
    /// <param name="bytes">The blocks.</param>
    /// <param name="identity">What they are sealed with.</param>
    /// <param name="firstBlock">The index of the first.</param>
    public static byte[] Blocks(byte[] bytes, ulong identity, long firstBlock = 0)
    {
        fixed (byte* start = bytes)
        {
            for (int at = 0; at + BlockFormat.BlockSize <= bytes.Length; at += BlockFormat.BlockSize)
            {
                uint incarnation = *(uint*)(start + at + BlockFormat.IncarnationAt);
                if (incarnation == 0) continue; // never written
                BlockFormat.WriteTrailer(
                    new BlockIdentity(identity, incarnation), firstBlock + (at / BlockFormat.BlockSize), start + at);
            }
        }

        return bytes;
    }

    /// <summary>One change of the payload of blocks, which keeps their trailers.</summary>
    public static void MutatePayload(byte[] blocks, int used, Random random)
    {
        int block = random.Next(used / BlockFormat.BlockSize) * BlockFormat.BlockSize;
        Mutator.MutateInPlace(blocks.AsSpan(block, BlockFormat.Payload), random);
    }
}
