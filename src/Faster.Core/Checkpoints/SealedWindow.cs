using Faster.Devices;
using Faster.Memory;

namespace Faster.Checkpoints;

/// <summary>A row of blocks of one sealed file in memory, for any number of files by turns.</summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="bytes">Its size; rounded up to whole blocks of the largest sector.</param>
internal sealed unsafe class SealedWindow(long bytes) : IDisposable
{
    private const int BlocksInSector = SealedBuffer.Alignment / BlockFormat.BlockSize;

    private readonly NativeBlock _memory = new(
        (bytes + SealedBuffer.Alignment - 1) / SealedBuffer.Alignment * SealedBuffer.Alignment, hugePages: false);

    private object? _owner;
    private bool _isVerified;
    private long _first;
    private long _count;

    /// <summary>The memory that it takes.</summary>
    public long Bytes => _memory.Bytes;

    /// <summary>Whether a file's block is here, and verified if that is asked for.</summary>
    public bool Holds(object owner, long block, bool isVerified) =>
        ReferenceEquals(_owner, owner) && block >= _first && block < _first + _count && (_isVerified || !isVerified);

    /// <summary>Where a block is that is here.</summary>
    public byte* BlockAt(long block) => _memory.Pointer + ((block - _first) * BlockFormat.BlockSize);

    /// <summary>Reads a block and those behind it.</summary>
    /// <param name="owner">Whose blocks they will be.</param>
    /// <param name="block">The block.</param>
    /// <param name="file">The file.</param>
    /// <param name="length">Its length, whole sectors.</param>
    /// <param name="seal">What the blocks must be sealed with; null: they are not verified.</param>
    /// <returns>The first damaged block, and nothing is here then; or -1.</returns>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public long Load(object owner, long block, StoreFile file, long length, BlockSeal? seal)
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
