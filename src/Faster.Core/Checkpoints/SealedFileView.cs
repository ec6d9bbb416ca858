using System.Runtime.CompilerServices;
using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// Reads a checkpoint's file at any place, and trusts no block that it has not verified (docs/formats/sealed-file.md).
/// </summary>
/// <remarks>
/// The counterpart of <see cref="SealedFileReader"/> for who needs parts of a file again and again, and has no memory
/// for all of it: a window, which several files share, holds what was read last. Invariant: no byte of a damaged block
/// is ever returned; length, kind, version and owner are checked before the first byte is. The calls block. Not
/// thread-safe.
/// </remarks>
internal sealed unsafe class SealedFileView : IDisposable
{
    private readonly StoreFile _file;
    private readonly SealedFileKind _kind;
    private readonly BlockSeal _seal;
    private readonly SealedWindow _window;
    private readonly long _bytes;

    /// <summary>Opens a file and checks what it is.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What it should hold.</param>
    /// <param name="storeIdentity">The store that it should belong to.</param>
    /// <param name="identity">What its blocks are sealed with.</param>
    /// <param name="bytes">The length that it should have.</param>
    /// <param name="window">Where blocks are read to; outlives the view.</param>
    /// <exception cref="DamagedDataException">It is missing, or not the file that it should be.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public SealedFileView(
        StoreFiles files, string name, SealedFileKind kind, ulong storeIdentity, ulong identity, long bytes,
        SealedWindow window)
    {
        (_kind, _bytes, _window) = (kind, bytes, window);
        _seal = new BlockSeal(identity, Incarnation: 1);
        _file = files.Open(name);
        try
        {
            SealedFileErrors.CheckLength(kind, _file, bytes);
            var header = Unsafe.ReadUnaligned<SealedFileHeader>(BlockAt(0, isVerified: false));
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

    /// <summary>Reads bytes of the content.</summary>
    /// <param name="position">Where in the content the first lies.</param>
    /// <param name="destination">Where they go.</param>
    /// <param name="bytes">How many.</param>
    /// <exception cref="DamagedDataException">A block of theirs is damaged, or the file ends before.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void Read(long position, byte* destination, long bytes)
    {
        long end = _bytes / BlockFormat.BlockSize * BlockFormat.Payload;
        long at = position + SealedFileHeader.SizeInBytes;
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

    /// <summary>Reads one value, as it lies in memory.</summary>
    /// <exception cref="DamagedDataException">A block of its is damaged, or the file ends before.</exception>
    public T Read<T>(long position)
        where T : unmanaged
    {
        T value;
        Read(position, (byte*)&value, sizeof(T));
        return value;
    }

    /// <summary>The error for a content that can't be right.</summary>
    public DamagedDataException DamagedAt(long position, string what)
    {
        (long block, long inBlock) = Math.DivRem(position + SealedFileHeader.SizeInBytes, BlockFormat.Payload);
        return SealedFileErrors.Damaged(_kind, _file.Path, (block * BlockFormat.BlockSize) + inBlock, what);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();

    // A format that is not known is told before the seal, which another version may have changed.
    private byte* BlockAt(long block, bool isVerified = true)
    {
        if (!_window.Holds(this, block, isVerified))
        {
            long damaged = _window.Load(this, block, _file, _bytes, isVerified ? _seal : null);
            if (damaged >= 0)
            {
                throw SealedFileErrors.Damaged(
                    _kind, _file.Path, damaged * BlockFormat.BlockSize,
                    "the checksum, place or owner of a block is wrong");
            }
        }

        return _window.BlockAt(block);
    }
}
