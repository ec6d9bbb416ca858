using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// Writes a checkpoint's file from front to back as a stream of bytes, in blocks sealed by <see cref="BlockFormat"/>
/// under an identity of the file's own (docs/formats/sealed-file.md).
/// </summary>
/// <remarks>
/// <para>The stream is copied into the blocks of a buffer; I/O threads seal and write full buffers, so that several
/// writes are under way while the next buffer is filled. A file of one buffer is written by the caller alone.</para>
/// <para>Invariants: the file's length is a multiple of 4096; every block of it is sealed; nothing is durable before
/// <see cref="Complete"/> has returned, and the file's name not before <see cref="StoreFiles.SyncNames"/>. After an
/// error the file is useless, and only to be disposed of and deleted.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class SealedFileWriter : IDisposable
{
    /// <summary>The size of a buffer unless said otherwise.</summary>
    public const int DefaultBufferBytes = 1 << 20;

    private const int BufferCount = 4; // one is filled, the others are under way
    private static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(1);

    private readonly StoreFile _file;
    private readonly BlockSeal _seal;
    private readonly int _bufferBytes;
    private readonly SealedBuffer?[] _buffers = new SealedBuffer?[BufferCount];
    private IoWorkers? _workers;
    private SealedBuffer _filling;
    private int _fillingIndex;
    private byte* _block;
    private int _inBlock;
    private long _bytes;
    private bool _completed;

    /// <summary>Makes the file, or empties it.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What it will hold.</param>
    /// <param name="storeIdentity">The identity of the store that it belongs to.</param>
    /// <param name="bufferBytes">The size of a buffer, of which up to four are used.</param>
    /// <exception cref="StorageException">The file can't be made.</exception>
    public SealedFileWriter(
        StoreFiles files, string name, SealedFileKind kind, ulong storeIdentity,
        int bufferBytes = DefaultBufferBytes)
    {
        Identity = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
        _seal = new BlockSeal(Identity, Incarnation: 1);
        _bufferBytes = SealedBuffer.RoundSize(bufferBytes);
        _file = files.Create(name);
        _filling = _buffers[0] = new SealedBuffer(_bufferBytes);
        Begin(0);
        SealedFileHeader header = SealedFileHeader.Of(kind, storeIdentity, Identity);
        Write(MemoryMarshal.AsBytes(new ReadOnlySpan<SealedFileHeader>(ref header)));
        Position = 0;
    }

    /// <summary>What the file's blocks are sealed with.</summary>
    public ulong Identity { get; }

    /// <summary>The bytes written so far.</summary>
    public long Position { get; private set; }

    /// <summary>Appends bytes.</summary>
    /// <exception cref="StorageException">A write of these or earlier bytes failed.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* source = bytes) Write(source, bytes.Length);
    }

    /// <summary>Appends bytes of native memory, which is free to change when the call returns.</summary>
    /// <exception cref="StorageException">A write of these or earlier bytes failed.</exception>
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

    /// <summary>Writes what is left, and makes the file's content durable.</summary>
    /// <returns>The file's length.</returns>
    /// <exception cref="StorageException">A write or the sync failed.</exception>
    public long Complete()
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        Fill();
        _completed = true;
        if (_filling.Length > 0) Submit();
        foreach (SealedBuffer? buffer in _buffers)
        {
            buffer?.Await();
            buffer?.ThrowIfFailed();
        }

        _file.Sync();
        return _bytes;
    }

    /// <summary>Closes the file, whether it is complete or not.</summary>
    public void Dispose()
    {
        _completed = true;
        _workers?.Dispose();
        foreach (SealedBuffer? buffer in _buffers) buffer?.Dispose();
        _file.Dispose();
    }

    private void NextBlock()
    {
        _block += BlockFormat.BlockSize;
        _inBlock = 0;
        _filling.Length += BlockFormat.BlockSize;
        if (_filling.Length < _filling.Size) return;
        _workers ??= new IoWorkers(BufferCount - 1, IdleLimit, Transfer);
        Submit();
        Turn();
    }

    // Zeros to the end of the sector: those blocks are sealed as any other.
    private void Fill()
    {
        while (_inBlock > 0 || _filling.Length % SealedBuffer.Alignment != 0)
        {
            Unsafe.InitBlockUnaligned(_block + _inBlock, 0, (uint)(BlockFormat.Payload - _inBlock));
            _block += BlockFormat.BlockSize;
            _inBlock = 0;
            _filling.Length += BlockFormat.BlockSize;
        }
    }

    private void Submit()
    {
        _bytes += _filling.Length;
        _filling.BeginTransfer(IoKind.Write);
        if (_workers is null) Transfer(_filling);
        else _workers.Submit([_filling]);
    }

    private void Turn()
    {
        _fillingIndex = (_fillingIndex + 1) % BufferCount;
        _filling = _buffers[_fillingIndex] ??= new SealedBuffer(_bufferBytes);
        _filling.Await();
        _filling.ThrowIfFailed();
        Begin(_bytes);
    }

    private void Begin(long offset)
    {
        _filling.Offset = offset;
        _filling.Length = 0;
        _block = _filling.Buffer;
        _inBlock = 0;
    }

    private void Transfer(IoRequest request)
    {
        var buffer = (SealedBuffer)request;
        try
        {
            Seal(buffer);
            _file.Write(buffer.Buffer, buffer.Length, buffer.Offset);
            buffer.EndTransfer(null);
        }
        catch (Exception e)
        {
            buffer.EndTransfer(e);
        }
    }

    // A process may write few checkpoints: there may be no second call for which to optimize this.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Seal(SealedBuffer buffer)
    {
        long index = buffer.FirstBlock;
        for (byte* block = buffer.Buffer, end = buffer.End; block < end; block += BlockFormat.BlockSize)
            BlockFormat.Seal(_seal, index++, block);
    }
}
