using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Devices;

namespace Faster.Checkpoints;

/// <summary>
/// Reads a checkpoint's file from front to back as a stream of bytes, and trusts no block that it has not verified
/// (docs/formats/sealed-file.md).
/// </summary>
/// <remarks>
/// <para>I/O threads read ahead and verify, several buffers at a time; the caller copies out of verified ones. A file
/// of one buffer is read by the caller alone.</para>
/// <para>Invariant: no byte of a damaged block is ever returned; length, kind, version and owner are checked before the
/// first byte is.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class SealedFileReader : IDisposable
{
    /// <summary>The size of a buffer unless said otherwise.</summary>
    public const int DefaultBufferBytes = 1 << 20;

    private const int BufferCount = 4;
    private const long Sound = -1;
    private static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(1);

    private readonly StoreFile _file;
    private readonly SealedFileKind _kind;
    private readonly BlockSeal _seal;
    private readonly long _bytes;
    private readonly SealedBuffer[] _buffers;
    private readonly long[] _damagedBlocks; // by buffer: the first one, or Sound
    private readonly IoWorkers? _workers;
    private long _requested;
    private int _current;
    private byte* _block;
    private int _inBlock;

    /// <summary>Opens a file and checks what it is.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What it should hold.</param>
    /// <param name="storeIdentity">The store that it should belong to.</param>
    /// <param name="identity">What its blocks are sealed with.</param>
    /// <param name="bytes">The length that it should have.</param>
    /// <param name="bufferBytes">The size of a buffer, of which up to four are used.</param>
    /// <exception cref="DamagedDataException">It is missing, or not the file that it should be.</exception>
    /// <exception cref="StorageException">It can't be read.</exception>
    public SealedFileReader(
        StoreFiles files, string name, SealedFileKind kind, ulong storeIdentity, ulong identity, long bytes,
        int bufferBytes = DefaultBufferBytes)
    {
        _kind = kind;
        _seal = new BlockSeal(identity, Incarnation: 1);
        _bytes = bytes;
        _buffers = [];
        _damagedBlocks = new long[BufferCount];
        _file = files.Open(name);
        try
        {
            SealedFileErrors.CheckLength(kind, _file, bytes);
            int size = (int)Math.Min(SealedBuffer.RoundSize(bufferBytes), bytes);
            _buffers = new SealedBuffer[(int)Math.Min((bytes + size - 1) / size, BufferCount)];
            for (int i = 0; i < _buffers.Length; i++) _buffers[i] = new SealedBuffer(size);
            if (_buffers.Length > 1) _workers = new IoWorkers(BufferCount, IdleLimit, Transfer);
            foreach (SealedBuffer buffer in _buffers) Request(buffer);
            ReadHeader(storeIdentity);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The bytes read so far.</summary>
    public long Position { get; private set; }

    /// <summary>The bytes that may still be read, the zeros included that fill the last sector.</summary>
    public long Remaining =>
        (_bytes / BlockFormat.BlockSize * BlockFormat.Payload) - SealedFileHeader.SizeInBytes - Position;

    /// <summary>The file's path, for messages.</summary>
    public string Path => _file.Path;

    /// <summary>Where in the file the next byte lies, for messages.</summary>
    public long Offset => OffsetOf(Position);

    /// <summary>Reads as many bytes as the span has.</summary>
    /// <exception cref="DamagedDataException">A block of theirs is damaged, or the file ends before.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void Read(Span<byte> destination)
    {
        fixed (byte* to = destination) Read(to, destination.Length);
    }

    /// <summary>Reads bytes into native memory.</summary>
    /// <exception cref="DamagedDataException">A block of theirs is damaged, or the file ends before.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Read(byte* destination, long bytes)
    {
        if (bytes > Remaining) throw Damaged("it ends before its content does");
        Position += bytes;
        while (bytes > 0)
        {
            if (_inBlock == BlockFormat.Payload) NextBlock();
            int count = (int)Math.Min(bytes, BlockFormat.Payload - _inBlock);
            Unsafe.CopyBlockUnaligned(destination, _block + _inBlock, (uint)count);
            destination += count;
            bytes -= count;
            _inBlock += count;
        }
    }

    /// <summary>Reads one value, as it lies in memory.</summary>
    /// <exception cref="DamagedDataException">A block of its is damaged, or the file ends before.</exception>
    public T Read<T>()
        where T : unmanaged
    {
        T value;
        Read((byte*)&value, sizeof(T));
        return value;
    }

    /// <summary>Verifies the rest of the file, which must be the zeros that fill its last sector.</summary>
    /// <exception cref="DamagedDataException">There is more, or a block is damaged.</exception>
    public void ReadToEnd()
    {
        if (Remaining >= SealedBuffer.Alignment / BlockFormat.BlockSize * BlockFormat.Payload)
            throw Damaged("it does not end where its content does");
        while (Remaining > 0)
        {
            if (Read<byte>() != 0) throw Damaged("something follows its content");
        }
    }

    /// <summary>The error for a content that can't be right, at the byte that is read next.</summary>
    public DamagedDataException Damaged(string what) => DamagedAt(Position, what);

    /// <summary>As <see cref="Damaged"/>, at a byte that was read when <see cref="Position"/> had a value.</summary>
    public DamagedDataException DamagedAt(long position, string what) =>
        SealedFileErrors.Damaged(_kind, Path, OffsetOf(position), what);

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        _workers?.Dispose();
        foreach (SealedBuffer? buffer in _buffers) buffer?.Dispose();
        _file.Dispose();
    }

    private static long OffsetOf(long position)
    {
        long inPayload = position + SealedFileHeader.SizeInBytes;
        return (inPayload / BlockFormat.Payload * BlockFormat.BlockSize) + (inPayload % BlockFormat.Payload);
    }

    private void ReadHeader(ulong storeIdentity)
    {
        SealedBuffer first = _buffers[0];
        first.Await();
        first.ThrowIfFailed();
        var header = MemoryMarshal.Read<SealedFileHeader>(
            new ReadOnlySpan<byte>(first.Buffer, SealedFileHeader.SizeInBytes));
        header.CheckFormat(_kind, Path);
        Begin(first);
        header.CheckOwner(_kind, Path, storeIdentity, _seal.Identity);
        _inBlock = SealedFileHeader.SizeInBytes;
    }

    private void NextBlock()
    {
        _block += BlockFormat.BlockSize;
        _inBlock = 0;
        SealedBuffer buffer = _buffers[_current];
        if (_block < buffer.End) return;
        Request(buffer);
        _current = (_current + 1) % _buffers.Length;
        Begin(_buffers[_current]);
    }

    private void Begin(SealedBuffer buffer)
    {
        buffer.Await();
        buffer.ThrowIfFailed();
        long damaged = _damagedBlocks[_current];
        if (damaged != Sound)
        {
            throw SealedFileErrors.Damaged(
                _kind, Path, damaged * BlockFormat.BlockSize, "the checksum, place or owner of a block is wrong");
        }

        _block = buffer.Buffer;
        _inBlock = 0;
    }

    // Asks for the next stretch of the file that nobody has asked for yet.
    private void Request(SealedBuffer buffer)
    {
        if (_requested >= _bytes) return;
        buffer.Offset = _requested;
        buffer.Length = (int)Math.Min(buffer.Size, _bytes - _requested);
        _requested += buffer.Length;
        buffer.BeginTransfer(IoKind.Read);
        if (_workers is null) Transfer(buffer);
        else _workers.Submit([buffer]);
    }

    private void Transfer(IoRequest request)
    {
        var buffer = (SealedBuffer)request;
        try
        {
            _file.Read(buffer.Buffer, buffer.Length, buffer.Offset);
            _damagedBlocks[Array.IndexOf(_buffers, buffer)] = FirstDamaged(buffer);
            buffer.EndTransfer(null);
        }
        catch (Exception e)
        {
            buffer.EndTransfer(e);
        }
    }

    // Recovery runs once: there is no second call for which to optimize this.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private long FirstDamaged(SealedBuffer buffer)
    {
        long index = buffer.FirstBlock;
        for (byte* block = buffer.Buffer, end = buffer.End; block < end; block += BlockFormat.BlockSize, index++)
            if (!BlockFormat.IsValid(_seal, index, block)) return index;
        return Sound;
    }
}
