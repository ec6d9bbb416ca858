using System.Buffers.Binary;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;

namespace Faster.Checkpoints;

/// <summary>Reads the file of commit records, and tells damage from what a crash may leave.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record that is returned is whole: all of its blocks are valid and of one sequence, and its own checksum is
/// right.</item>
/// <item>Valid blocks of several records are the rest of a write that a crash has interrupted, which was never
/// acknowledged. An invalid block is damage.</item>
/// <item>Nothing larger than the file is allocated.</item>
/// </list>
/// <para>Not thread-safe: used once.</para>
/// </remarks>
/// <param name="file">The file.</param>
/// <param name="storeIdentity">The store's identity.</param>
internal sealed unsafe class CommitSlotReader(StoreFile file, ulong storeIdentity)
{
    private readonly byte[] _piece = new byte[CommitSlots.PieceBytes];
    private readonly long _length = file.Length;

    /// <summary>Reads all slots.</summary>
    /// <exception cref="DamagedDataException">The file's length is wrong.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public CommitSlot[] Read()
    {
        long copyBytes = CommitSlots.CopyBytesOf(_length);
        if (copyBytes == 0) throw Damaged(_length, $"it has {_length} bytes, which no file of commit records has");
        return [.. Enumerable.Range(0, CommitSlots.Count).Select(slot => new CommitSlot(
            slot,
            [.. Enumerable.Range(0, CommitSlots.Copies).Select(
                copy => ReadCopy(CommitSlots.PlaceOf(slot, copy, copyBytes), copyBytes))]))];
    }

    private CommitSlotCopy ReadCopy(long place, long copyBytes)
    {
        byte[] first = new byte[BlockFormat.Payload];
        if (!TryReadBlocks(place, 1, first, out _, out long damaged)) return Bad(damaged);
        (long length, long bytes) = (
            BinaryPrimitives.ReadInt64LittleEndian(first),
            BinaryPrimitives.ReadInt64LittleEndian(first.AsSpan(sizeof(long))));
        if (length != _length) return new(null, 0, Damaged(place, $"it should have {length} bytes, not {_length}"));
        if (bytes == 0) return default;
        bool fits = bytes is >= sizeof(uint) and <= MetadataKind.MaxBytes
            && (long)CommitSlots.BlocksOf(bytes) * BlockFormat.BlockSize <= copyBytes;
        if (!fits) return new(null, 0, Damaged(place + sizeof(long), $"it has a record of {bytes} bytes"));

        int blocks = CommitSlots.BlocksOf(bytes);
        byte[] payload = new byte[(long)blocks * BlockFormat.Payload];
        if (!TryReadBlocks(place, blocks, payload, out bool isOne, out damaged)) return Bad(damaged);
        if (!isOne) return default;
        byte[] record = payload.AsSpan(CommitSlots.HeaderBytes, (int)bytes).ToArray();
        bool isWhole = BinaryPrimitives.ReadUInt32LittleEndian(record.AsSpan(^sizeof(uint)))
            == MetadataReader.Checksum(record);
        if (!isWhole || record.Length < CommitRecordFile.VersionAt + sizeof(long)) return default;
        return new(record, BinaryPrimitives.ReadInt64LittleEndian(record.AsSpan(CommitRecordFile.VersionAt)), null);
    }

    // Verifies blocks and joins their payloads. Says whether they are of one sequence.
    private bool TryReadBlocks(long place, int blocks, byte[] payload, out bool isOne, out long damaged)
    {
        const int Most = CommitSlots.PieceBytes / BlockFormat.BlockSize;
        (isOne, damaged) = (true, -1);
        uint first = 0;
        fixed (byte* piece = _piece, to = payload)
        {
            for (int done = 0; done < blocks; done++)
            {
                int at = done % Most;
                long offset = place + ((long)done * BlockFormat.BlockSize);
                if (at == 0) file.Read(piece, Math.Min(blocks - done, Most) * BlockFormat.BlockSize, offset);
                byte* block = piece + (at * BlockFormat.BlockSize);
                uint sequence = *(uint*)(block + BlockFormat.IncarnationAt);
                var identity = new BlockIdentity(storeIdentity, sequence);
                if (sequence == 0 || !BlockFormat.IsValid(identity, offset / BlockFormat.BlockSize, block))
                {
                    damaged = offset;
                    return false;
                }

                if (done == 0) first = sequence;
                isOne &= sequence == first;
                new ReadOnlySpan<byte>(block, BlockFormat.Payload)
                    .CopyTo(new Span<byte>(to + ((long)done * BlockFormat.Payload), BlockFormat.Payload));
            }
        }

        return true;
    }

    private CommitSlotCopy Bad(long offset) =>
        new(null, 0, Damaged(offset, "a block's checksum is wrong, or the block is another store's"));

    private DamagedDataException Damaged(long offset, string what) =>
        MetadataKind.Commit.Damaged(file.Path, offset, what);
}
