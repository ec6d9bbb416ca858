using System.Diagnostics.CodeAnalysis;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Checkpoints;

/// <summary>
/// Writes the file of commit records: three slots of two copies each, written in turn (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A record is written over the oldest of three, so the two before it stay whole, whatever a crash leaves.</item>
/// <item>The file keeps its length, and all of it was written before: the sync of its content makes a record
/// durable.</item>
/// <item>Each block that was written is valid. A power cut leaves old blocks beside new ones, but no damaged
/// one.</item>
/// <item>A record that <see cref="Write"/> has made durable is there twice: one damaged or stale sector costs no
/// record.</item>
/// </list>
/// <para>Not thread-safe: its catalog uses it.</para>
/// </remarks>
/// <param name="files">The store's files.</param>
/// <param name="storeIdentity">The store's identity, with which the checksums of blocks are seeded.</param>
internal sealed class CommitSlots(StoreFiles files, ulong storeIdentity) : IDisposable
{
    /// <summary>The number of slots, and of copies in each of them.</summary>
    public const int Count = 3, Copies = 2;

    /// <summary>A copy's bytes are a multiple of this: no two copies share a page of the system's cache.</summary>
    public const int Unit = 4096;

    /// <summary>The bytes before a record in its copy: the length of the file and that of the record.</summary>
    public const int HeaderBytes = 2 * sizeof(long);

    /// <summary>The largest transfer.</summary>
    internal const int PieceBytes = 64 << 10;

    private readonly byte[] _piece = new byte[PieceBytes];
    private StoreFile? _file;
    private long _copyBytes; // of the open file
    private int _next;       // the slot of the next record

    /// <summary>
    /// The sequence of a version, which a copy's blocks carry as their incarnation: never 0, and of two records that
    /// follow each other in a slot never the same.
    /// </summary>
    public static uint SequenceOf(long version) => (uint)((version - 1) % uint.MaxValue) + 1;

    /// <summary>Says which slot has the newest record: the next one is written after it.</summary>
    public void GoOnAfter(int slot) => _next = (slot + 1) % Count;

    /// <summary>Whether a slot has space for a record of a length. Opens the file.</summary>
    public bool Fits(int recordBytes)
    {
        Open();
        return (long)BlocksOf(recordBytes) * BlockFormat.BlockSize <= _copyBytes;
    }

    /// <summary>Writes a record into the next slot and makes it durable.</summary>
    /// <param name="record">The record, which fits.</param>
    /// <param name="version">Its version.</param>
    /// <exception cref="StorageException">It is not known to be durable; the next write uses the same slot.</exception>
    public void Write(byte[] record, long version)
    {
        Open();
        Invariant.Check(
            Fits(record.Length), $"a record of {record.Length} bytes fits into copies of {_copyBytes}");
        int slot = Probe.On && Probe.Has(SeededBug.SlotOfNewest) ? (_next + Count - 1) % Count : _next;
        int copies = Probe.On && Probe.Has(SeededBug.RecordOnce) ? 1 : Copies;
        byte[] payload = PayloadOf(record, _copyBytes * Count * Copies);
        for (int copy = 0; copy < copies; copy++)
            WriteCopy(_file, PlaceOf(slot, copy, _copyBytes), payload, BlocksOf(record.Length), version);
        if (!(Probe.On && Probe.Has(SeededBug.SlotNotSynced))) _file.Sync();
        GoOnAfter(slot);
    }

    /// <summary>
    /// Makes what a slot of the file has durable, which a process may have written that died before its sync, and
    /// repairs the copy of a record that a crash or damage has left alone.
    /// </summary>
    /// <param name="kept">The slots of records that are kept.</param>
    /// <exception cref="StorageException">The file can't be written or synced.</exception>
    public void Settle(IEnumerable<CommitSlot> kept)
    {
        Open();
        foreach (CommitSlot slot in kept)
        {
            for (int copy = 0; copy < Copies; copy++)
            {
                if (slot.HasWhole(copy)) continue;
                byte[] payload = PayloadOf(slot.Record!, _copyBytes * Count * Copies);
                long place = PlaceOf(slot.Number, copy, _copyBytes);
                WriteCopy(_file, place, payload, BlocksOf(slot.Record!.Length), slot.Version);
            }
        }

        _file.Sync();
    }

    /// <summary>
    /// Writes a new file with some records, as a temporary one, and makes its content durable. The slots are half as
    /// large again as the largest record needs.
    /// </summary>
    /// <param name="records">The records with their versions, in their order; fewer than there are slots.</param>
    /// <exception cref="StorageException">The file can't be written.</exception>
    public void Prepare(IReadOnlyList<(byte[] Bytes, long Version)> records)
    {
        Invariant.Check(records.Count is > 0 and < Count, $"{records.Count} records leave a slot free");
        long copyBytes = CopyBytesFor(records.Max(static record => record.Bytes.Length));
        long length = copyBytes * Count * Copies;
        using StoreFile file = files.Create(StoreFileNames.Commits + MetadataFile.TemporarySuffix);
        for (int slot = 0; slot < Count; slot++)
        {
            (byte[] bytes, long version) = slot < records.Count ? records[slot] : ([], records[^1].Version);
            for (int copy = 0; copy < Copies; copy++)
            {
                WriteCopy(
                    file, PlaceOf(slot, copy, copyBytes), PayloadOf(bytes, length),
                    (int)(copyBytes / BlockFormat.BlockSize), version);
            }
        }

        file.Sync();
    }

    /// <summary>Gives the file that was prepared its name, without making that durable.</summary>
    /// <param name="records">The number of its records.</param>
    /// <exception cref="StorageException">The file can't be renamed.</exception>
    public void Replace(int records)
    {
        Dispose();
        files.Rename(StoreFileNames.Commits + MetadataFile.TemporarySuffix, StoreFileNames.Commits);
        _next = records;
    }

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        _file?.Dispose();
        _file = null;
    }

    /// <summary>The bytes of a copy in a file of a length; 0: no file of slots has that length.</summary>
    public static long CopyBytesOf(long fileLength) =>
        fileLength % (Count * Copies * Unit) == 0 ? fileLength / (Count * Copies) : 0;

    /// <summary>The offset of a copy in the file.</summary>
    public static long PlaceOf(int slot, int copy, long copyBytes) => ((slot * Copies) + copy) * copyBytes;

    /// <summary>The number of blocks that a record takes in a copy.</summary>
    public static int BlocksOf(long recordBytes) =>
        (int)((HeaderBytes + recordBytes + BlockFormat.Payload - 1) / BlockFormat.Payload);

    private static long CopyBytesFor(long recordBytes)
    {
        long blocks = BlocksOf(recordBytes + (recordBytes / 2));
        return ((blocks * BlockFormat.BlockSize) + Unit - 1) / Unit * Unit;
    }

    private static byte[] PayloadOf(byte[] record, long fileLength)
    {
        byte[] payload = new byte[HeaderBytes + record.Length];
        BitConverter.TryWriteBytes(payload, fileLength);
        BitConverter.TryWriteBytes(payload.AsSpan(sizeof(long)), (long)record.Length);
        record.CopyTo(payload, HeaderBytes);
        return payload;
    }

    // Through a handle that stays open. So the path must have led to the store's own file when that was opened.
    [MemberNotNull(nameof(_file))]
    private void Open()
    {
        if (_file is not null) return;
        StoreFile? file = null;
        try
        {
            file = files.Open(StoreFileNames.Commits);
            files.ThrowIfLost();
            _copyBytes = CopyBytesOf(file.Length);
            _file = file;
        }
        catch (DamagedDataException) when (file is null)
        {
            files.ThrowIfLost(); // the file is missing because the folder is
            throw;
        }
        catch
        {
            file?.Dispose();
            throw;
        }
    }

    private unsafe void WriteCopy(StoreFile file, long place, byte[] payload, int blocks, long version)
    {
        const int Most = PieceBytes / BlockFormat.BlockSize;
        var identity = new BlockIdentity(storeIdentity, SequenceOf(version));
        fixed (byte* source = payload, piece = _piece)
        {
            for (int done = 0, count; done < blocks; done += count)
            {
                count = Math.Min(blocks - done, Most);
                long at = Math.Min((long)done * BlockFormat.Payload, payload.Length);
                int bytes = (int)Math.Min(payload.Length - at, (long)count * BlockFormat.Payload);
                long offset = place + ((long)done * BlockFormat.BlockSize);
                BlockFormat.Encode(
                    identity, offset / BlockFormat.BlockSize, source + at, bytes, piece, count);
                file.Write(piece, count * BlockFormat.BlockSize, offset);
            }
        }
    }
}
