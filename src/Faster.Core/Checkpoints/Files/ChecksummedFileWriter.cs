using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Devices;
using Faster.Invariants;
using Faster.Memory;
using Faster.Threads;

namespace Faster.Checkpoints.Files;

/// <summary>
/// Writes a checkpoint file from front to back as a stream of bytes, in blocks to which <see cref="BlockFormat"/> adds
/// checksums under an identity of the file's own (docs/formats/checksummed-file.md).
/// </summary>
/// <remarks>
/// <para>The stream is copied into the blocks of a buffer; I/O threads add the checksums and write full buffers, so
/// that several writes are under way while the next buffer is filled. A file that fits one buffer is written by the
/// caller alone.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The file's length is a multiple of 4096, and every block has a checksum.</item>
/// <item>Buffers are written in order and without a gap: each begins where the one before it ends.</item>
/// <item>Nothing is durable before <see cref="Complete"/> returns; the file's name is not before
/// <see cref="StoreFiles.SyncNames"/> returns.</item>
/// <item>After an error the file is useless: dispose of the writer and delete the file.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class ChecksummedFileWriter : IDisposable
{
    /// <summary>The default size of a buffer.</summary>
    public const int DefaultBufferBytes = 1 << 20;

    private const int BufferCount = 4; // one is being filled, the others are being written
    private static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(1);

    private readonly StoreFile _file;
    private readonly BlockIdentity _blockIdentity;
    private readonly int _bufferBytes;
    private NativeBlock? _first; // all that a small file needs, under the first buffer
    private readonly ChecksummedBuffer?[] _buffers = new ChecksummedBuffer?[BufferCount];
    private NativeBlock? _memory; // for all buffers of a large one, in huge pages: a disk is several times as fast then
    private WorkerThreads<IORequest>? _workers;
    private ChecksummedBuffer _filling;
    private int _fillingIndex;
    private byte* _block;
    private int _inBlock;
    private long _bytes;
    private bool _completed;

    /// <summary>Creates the file, or empties an existing one.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What the file will hold.</param>
    /// <param name="storeIdentity">The identity of the store that the file belongs to.</param>
    /// <param name="bufferBytes">The size of a buffer; up to four are used.</param>
    /// <exception cref="StorageException">The file can't be created.</exception>
    public ChecksummedFileWriter(
        StoreFiles files, string name, ChecksummedFileKind kind, ulong storeIdentity,
        int bufferBytes = DefaultBufferBytes)
    {
        Identity = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _blockIdentity = new BlockIdentity(Identity, Incarnation: 1);
        _bufferBytes = ChecksummedBuffer.RoundSize(bufferBytes);
        _file = files.Create(name);
        _first = new NativeBlock(_bufferBytes, hugePages: false);
        _filling = _buffers[0] = new ChecksummedBuffer(_first, 0, _bufferBytes);
        Begin(0);
        ChecksummedFileHeader header = ChecksummedFileHeader.Of(kind, storeIdentity, Identity);
        Write(MemoryMarshal.AsBytes(new ReadOnlySpan<ChecksummedFileHeader>(ref header)));
        Position = 0;
    }

    /// <summary>The identity with which the checksums of the file's blocks are seeded; random.</summary>
    public ulong Identity { get; }

    /// <summary>The number of payload bytes written so far, without the header.</summary>
    public long Position { get; private set; }

    /// <summary>Appends bytes.</summary>
    /// <exception cref="StorageException">A write of these or of earlier bytes failed.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* source = bytes) Write(source, bytes.Length);
    }

    /// <summary>Appends bytes of native memory. The caller may change the memory once the call returns.</summary>
    /// <exception cref="StorageException">A write of these or of earlier bytes failed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Write(byte* source, long bytes)
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        Position += bytes;
        while (bytes > 0)
        {
            int count = (int)Math.Min(bytes, BlockFormat.Payload - _inBlock);
            Unsafe.CopyBlockUnaligned(_block + _inBlock, source, (uint)count);
            source += count;
            bytes -= count;
            _inBlock += count;
            if (_inBlock == BlockFormat.Payload) NextBlock();
        }
    }

    /// <summary>Writes what is left in the buffer, and makes the file's content durable.</summary>
    /// <returns>The file's length in bytes.</returns>
    /// <exception cref="StorageException">A write or the sync failed.</exception>
    public long Complete()
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        Fill();
        _completed = true;
        if (_filling.Length > 0) Submit();
        foreach (ChecksummedBuffer? buffer in _buffers)
        {
            buffer?.Await();
            buffer?.ThrowIfFailed();
        }

        _file.Sync();
        return _bytes;
    }

    /// <summary>Closes the file, complete or not.</summary>
    public void Dispose()
    {
        _completed = true;
        _workers?.Dispose();
        foreach (ChecksummedBuffer? buffer in _buffers) buffer?.Dispose();
        _memory?.Dispose();
        _first?.Dispose();
        _file.Dispose();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void NextBlock()
    {
        _block += BlockFormat.BlockSize;
        _inBlock = 0;
        _filling.Length += BlockFormat.BlockSize;
        if (_filling.Length < _filling.Size) return;
        _workers ??= new WorkerThreads<IORequest>(BufferCount - 1, IdleLimit, Transfer);
        Submit();
        Turn();
    }

    // Fills the last sector with blocks of zeros, which get checksums as all others do.
    private void Fill()
    {
        while (_inBlock > 0 || _filling.Length % ChecksummedBuffer.Alignment != 0)
        {
            Unsafe.InitBlockUnaligned(_block + _inBlock, 0, (uint)(BlockFormat.Payload - _inBlock));
            _block += BlockFormat.BlockSize;
            _inBlock = 0;
            _filling.Length += BlockFormat.BlockSize;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Submit()
    {
        Invariant.Check(
            _filling.Offset == _bytes && _filling.Length > 0 && _filling.Length <= _filling.Size
                && _filling.Length % ChecksummedBuffer.Alignment == 0,
            $"a buffer of whole sectors follows the one before it: {_filling.Length} at {_filling.Offset} of {_bytes}");
        _bytes += _filling.Length;
        _filling.BeginTransfer(IOKind.Write);
        if (_workers is null) Transfer(_filling);
        else _workers.Submit([_filling]);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Turn()
    {
        _fillingIndex = (_fillingIndex + 1) % BufferCount;
        if (_buffers[_fillingIndex] is { } used)
        {
            used.Await();
            used.ThrowIfFailed();
        }

        if (_fillingIndex == 0 && _first is not null)
        {
            _buffers[0]!.Dispose();
            _buffers[0] = null;
            _first.Dispose();
            _first = null;
        }

        _filling = _buffers[_fillingIndex] ??= NewBuffer(_fillingIndex);
        Begin(_bytes);
    }

    private ChecksummedBuffer NewBuffer(int number)
    {
        _memory ??= new NativeBlock((long)BufferCount * _bufferBytes);
        return new ChecksummedBuffer(_memory, number, _bufferBytes);
    }

    private void Begin(long offset)
    {
        _filling.Offset = offset;
        _filling.Length = 0;
        _block = _filling.Buffer;
        _inBlock = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Transfer(IORequest request)
    {
        var buffer = (ChecksummedBuffer)request;
        try
        {
            BlockFormat.WriteTrailers(
                _blockIdentity, buffer.FirstBlock, buffer.Buffer, buffer.Length / BlockFormat.BlockSize);
            _file.Write(buffer.Buffer, buffer.Length, buffer.Offset);
            buffer.EndTransfer(null);
        }
        catch (Exception e)
        {
            buffer.EndTransfer(e);
        }
    }
}
