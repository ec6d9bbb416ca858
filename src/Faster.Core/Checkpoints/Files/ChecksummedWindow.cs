using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Memory;

namespace Faster.Checkpoints.Files;

/// <summary>Consecutive blocks of one checksummed file in memory. Several files use the window in turn.</summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="bytes">The size of the window; rounded up to whole blocks of the largest sector.</param>
internal sealed unsafe class ChecksummedWindow(long bytes) : IDisposable
{
    private const int BlocksInSector = ChecksummedBuffer.Alignment / BlockFormat.BlockSize;

    private readonly NativeBlock _memory = new(
        (bytes + ChecksummedBuffer.Alignment - 1) / ChecksummedBuffer.Alignment * ChecksummedBuffer.Alignment,
            hugePages: false);

    private object? _owner;
    private bool _isVerified;
    private long _first;
    private long _count;

    /// <summary>The native memory that the window takes, in bytes.</summary>
    public long Bytes => _memory.Bytes;

    /// <summary>
    /// Whether the window holds a file's block, and a verified one if <paramref name="isVerified"/> is set.
    /// </summary>
    public bool Holds(object owner, long block, bool isVerified) =>
        ReferenceEquals(_owner, owner) && block >= _first && block < _first + _count && (_isVerified || !isVerified);

    /// <summary>The address of a block; <see cref="Holds"/> must be true of it.</summary>
    public byte* BlockAt(long block) => _memory.Pointer + ((block - _first) * BlockFormat.BlockSize);

    /// <summary>Reads a block and those that follow it, as many as the window holds.</summary>
    /// <param name="owner">The object on whose behalf the window holds them.</param>
    /// <param name="block">The index of the block in the file.</param>
    /// <param name="file">The file.</param>
    /// <param name="length">The file's length: whole sectors.</param>
    /// <param name="seal">
    /// The identity with which the blocks' checksums are seeded; null to skip the verification.
    /// </param>
    /// <returns>The first damaged block, in which case the window holds nothing; or -1.</returns>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public long Load(object owner, long block, StoreFile file, long length, BlockIdentity? seal)
    {
        _owner = null;
        long first = block / BlocksInSector * BlocksInSector, offset = first * BlockFormat.BlockSize;
        int bytes = (int)Math.Min(_memory.Bytes, length - offset);
        file.Read(_memory.Pointer, bytes, offset);
        long count = bytes / BlockFormat.BlockSize;
        for (long i = 0; seal is { } sealing && i < count; i++)
        {
            if (!BlockFormat.IsValid(sealing, first + i, _memory.Pointer + (i * BlockFormat.BlockSize)))
                return first + i;
        }

        (_owner, _isVerified, _first, _count) = (owner, seal is not null, first, count);
        return -1;
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose() => _memory.Dispose();
}
