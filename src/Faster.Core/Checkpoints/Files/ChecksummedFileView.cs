using System.Runtime.CompilerServices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;

namespace Faster.Checkpoints.Files;

/// <summary>
/// Reads a checkpoint file at any position, and trusts no block that it has not verified
/// (docs/formats/checksummed-file.md).
/// </summary>
/// <remarks>
/// <para>The counterpart of <see cref="ChecksummedFileReader"/> for callers that need parts of a file repeatedly and
/// have no memory for all of it: a window, which several files share, holds what was read last.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No byte of a damaged block is ever returned.</item>
/// <item>Length, kind, version, and owner are checked before the first byte is returned.</item>
/// </list>
/// <para>The calls block. Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class ChecksummedFileView : IDisposable
{
    private readonly StoreFile _file;
    private readonly ChecksummedFileKind _kind;
    private readonly BlockIdentity _blockIdentity;
    private readonly ChecksummedWindow _window;
    private readonly long _bytes;

    /// <summary>Opens a file and checks its length and header.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What the file should hold.</param>
    /// <param name="storeIdentity">The identity of the store that the file should belong to.</param>
    /// <param name="identity">The identity with which the checksums of its blocks are seeded.</param>
    /// <param name="bytes">The length that the file should have.</param>
    /// <param name="window">The memory into which blocks are read; it outlives the view.</param>
    /// <exception cref="DamagedDataException">The file is missing, or is not the requested one.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public ChecksummedFileView(
        StoreFiles files, string name, ChecksummedFileKind kind, ulong storeIdentity, ulong identity, long bytes,
        ChecksummedWindow window)
    {
        (_kind, _bytes, _window) = (kind, bytes, window);
        _blockIdentity = new BlockIdentity(identity, Incarnation: 1);
        _file = files.Open(name);
        try
        {
            ChecksummedFileErrors.CheckLength(kind, _file, bytes);
            var header = Unsafe.ReadUnaligned<ChecksummedFileHeader>(BlockAt(0, isVerified: false));
            header.CheckFormat(kind, _file.Path);
            _ = BlockAt(0);
            header.CheckOwner(kind, _file.Path, storeIdentity, identity);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Copies bytes of the content.</summary>
    /// <param name="position">The position in the content of the first byte.</param>
    /// <param name="destination">The memory to copy to.</param>
    /// <param name="bytes">The number of bytes.</param>
    /// <exception cref="DamagedDataException">One of their blocks is damaged, or the file ends earlier.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void Read(long position, byte* destination, long bytes)
    {
        long end = _bytes / BlockFormat.BlockSize * BlockFormat.Payload;
        long at = position + ChecksummedFileHeader.SizeInBytes;
        if (bytes > end - at) throw DamagedAt(position, "it ends before its content does");
        while (bytes > 0)
        {
            (long block, long inBlock) = Math.DivRem(at, BlockFormat.Payload);
            long count = Math.Min(bytes, BlockFormat.Payload - inBlock);
            Unsafe.CopyBlockUnaligned(destination, BlockAt(block) + inBlock, (uint)count);
            destination += count;
            bytes -= count;
            at += count;
        }
    }

    /// <summary>Reads one value in its memory layout.</summary>
    /// <exception cref="DamagedDataException">One of its blocks is damaged, or the file ends earlier.</exception>
    public T Read<T>(long position)
        where T : unmanaged
    {
        T value;
        Read(position, (byte*)&value, sizeof(T));
        return value;
    }

    /// <summary>Makes the exception for invalid content at a position.</summary>
    public DamagedDataException DamagedAt(long position, string what)
    {
        (long block, long inBlock) = Math.DivRem(position + ChecksummedFileHeader.SizeInBytes, BlockFormat.Payload);
        return ChecksummedFileErrors.Damaged(_kind, _file.Path, (block * BlockFormat.BlockSize) + inBlock, what);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();

    // An unknown format is reported before the checksum is verified: another version may compute checksums differently.
    private byte* BlockAt(long block, bool isVerified = true)
    {
        if (!_window.Holds(this, block, isVerified))
        {
            long damaged = _window.Load(this, block, _file, _bytes, isVerified ? _blockIdentity : null);
            if (damaged >= 0)
            {
                throw ChecksummedFileErrors.Damaged(
                    _kind, _file.Path, damaged * BlockFormat.BlockSize,
                    "the checksum, position, or owner of a block is wrong");
            }
        }

        return _window.BlockAt(block);
    }
}
