using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Devices;
using Faster.Memory;
using Faster.Threads;

namespace Faster.Checkpoints.Files;

/// <summary>
/// Reads a checkpoint file from front to back as a stream of bytes, and trusts no block that it has not verified
/// (docs/formats/checksummed-file.md).
/// </summary>
/// <remarks>
/// <para>I/O threads read ahead and verify, several buffers at a time; the caller copies out of verified buffers. A
/// file that fits one buffer is read by the caller alone.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>No byte of a damaged block is ever returned.</item>
/// <item>Length, kind, version, and owner are checked before the first byte is returned.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed unsafe class ChecksummedFileReader : IDisposable
{
    /// <summary>The default size of a buffer.</summary>
    public const int DefaultBufferBytes = 1 << 20;

    private const int BufferCount = 4;
    private const long Sound = -1;
    private static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(1);

    private readonly StoreFile _file;
    private readonly ChecksummedFileKind _kind;
    private readonly BlockIdentity _blockIdentity;
    private readonly long _bytes;
    private readonly ChecksummedBuffer[] _buffers;
    private readonly long[] _damagedBlocks; // for each buffer: its first damaged block, or Sound
    private readonly NativeBlock? _memory; // for all buffers, in huge pages: a disk is several times as fast then
    private readonly WorkerThreads<IORequest>? _workers;
    private long _requested;
    private int _current;
    private byte* _block;
    private int _inBlock;

    /// <summary>Opens a file and checks its length and header.</summary>
    /// <param name="files">The store's files.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="kind">What the file should hold.</param>
    /// <param name="storeIdentity">The identity of the store that the file should belong to.</param>
    /// <param name="identity">The identity with which the checksums of its blocks are seeded.</param>
    /// <param name="bytes">The length that the file should have.</param>
    /// <param name="bufferBytes">The size of a buffer; up to four are used.</param>
    /// <exception cref="DamagedDataException">The file is missing, or is not the requested one.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public ChecksummedFileReader(
        StoreFiles files, string name, ChecksummedFileKind kind, ulong storeIdentity, ulong identity, long bytes,
        int bufferBytes = DefaultBufferBytes)
    {
        _kind = kind;
        _blockIdentity = new BlockIdentity(identity, Incarnation: 1);
        _bytes = bytes;
        _buffers = [];
        _damagedBlocks = new long[BufferCount];
        _file = files.Open(name);
        try
        {
            ChecksummedFileErrors.CheckLength(kind, _file, bytes);
            int size = (int)Math.Min(ChecksummedBuffer.RoundSize(bufferBytes), bytes);
            _buffers = new ChecksummedBuffer[(int)Math.Min((bytes + size - 1) / size, BufferCount)];
            _memory = new NativeBlock((long)size * _buffers.Length);
            for (int i = 0; i < _buffers.Length; i++) _buffers[i] = new ChecksummedBuffer(_memory, i, size);
            if (_buffers.Length > 1) _workers = new WorkerThreads<IORequest>(BufferCount, IdleLimit, Transfer);
            foreach (ChecksummedBuffer buffer in _buffers) Request(buffer);
            ReadHeader(storeIdentity);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The number of payload bytes read so far, without the header.</summary>
    public long Position { get; private set; }

    /// <summary>The number of payload bytes left, including the zeros that fill the last sector.</summary>
    public long Remaining =>
        (_bytes / BlockFormat.BlockSize * BlockFormat.Payload) - ChecksummedFileHeader.SizeInBytes - Position;

    /// <summary>The file's path, for messages.</summary>
    public string Path => _file.Path;

    /// <summary>The offset in the file of the next byte, for messages.</summary>
    public long Offset => OffsetOf(Position);

    /// <summary>Fills a span with the next bytes.</summary>
    /// <exception cref="DamagedDataException">One of their blocks is damaged, or the file ends earlier.</exception>
    /// <exception cref="StorageException">The file can't be read.</exception>
    public void Read(Span<byte> destination)
    {
        fixed (byte* to = destination) Read(to, destination.Length);
    }

    /// <summary>Reads the next bytes into native memory.</summary>
    /// <exception cref="DamagedDataException">One of their blocks is damaged, or the file ends earlier.</exception>
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

    /// <summary>Reads one value in its memory layout.</summary>
    /// <exception cref="DamagedDataException">One of its blocks is damaged, or the file ends earlier.</exception>
    public T Read<T>()
        where T : unmanaged
    {
        T value;
        Read((byte*)&value, sizeof(T));
        return value;
    }

    /// <summary>Verifies the rest of the file: only the zeros that fill its last sector may be left.</summary>
    /// <exception cref="DamagedDataException">More than that is left, or a block is damaged.</exception>
    public void ReadToEnd()
    {
        if (Remaining >= ChecksummedBuffer.Alignment / BlockFormat.BlockSize * BlockFormat.Payload)
            throw Damaged("it does not end where its content does");
        while (Remaining > 0)
        {
            if (Read<byte>() != 0) throw Damaged("something follows its content");
        }
    }

    /// <summary>Makes the exception for invalid content at the byte that would be read next.</summary>
    public DamagedDataException Damaged(string what) => DamagedAt(Position, what);

    /// <summary>
    /// As <see cref="Damaged"/>, for the byte that was next when <see cref="Position"/> had the given value.
    /// </summary>
    public DamagedDataException DamagedAt(long position, string what) =>
        ChecksummedFileErrors.Damaged(_kind, Path, OffsetOf(position), what);

    /// <summary>Closes the file. Waits for reads under way.</summary>
    public void Dispose()
    {
        _workers?.Dispose();
        foreach (ChecksummedBuffer? buffer in _buffers) buffer?.Dispose();
        _memory?.Dispose();
        _file.Dispose();
    }

    private static long OffsetOf(long position)
    {
        long inPayload = position + ChecksummedFileHeader.SizeInBytes;
        return (inPayload / BlockFormat.Payload * BlockFormat.BlockSize) + (inPayload % BlockFormat.Payload);
    }

    private void ReadHeader(ulong storeIdentity)
    {
        ChecksummedBuffer first = _buffers[0];
        first.Await();
        first.ThrowIfFailed();
        var header = MemoryMarshal.Read<ChecksummedFileHeader>(
            new ReadOnlySpan<byte>(first.Buffer, ChecksummedFileHeader.SizeInBytes));
        header.CheckFormat(_kind, Path);
        Begin(first);
        header.CheckOwner(_kind, Path, storeIdentity, _blockIdentity.Identity);
        _inBlock = ChecksummedFileHeader.SizeInBytes;
    }

    private void NextBlock()
    {
        _block += BlockFormat.BlockSize;
        _inBlock = 0;
        ChecksummedBuffer buffer = _buffers[_current];
        if (_block < buffer.End) return;
        Request(buffer);
        _current = (_current + 1) % _buffers.Length;
        Begin(_buffers[_current]);
    }

    private void Begin(ChecksummedBuffer buffer)
    {
        buffer.Await();
        buffer.ThrowIfFailed();
        long damaged = _damagedBlocks[_current];
        if (damaged != Sound)
        {
            throw ChecksummedFileErrors.Damaged(
                _kind, Path, damaged * BlockFormat.BlockSize, "the checksum, position, or owner of a block is wrong");
        }

        _block = buffer.Buffer;
        _inBlock = 0;
    }

    // Requests the next part of the file that has not been requested yet.
    private void Request(ChecksummedBuffer buffer)
    {
        if (_requested >= _bytes) return;
        buffer.Offset = _requested;
        buffer.Length = (int)Math.Min(buffer.Size, _bytes - _requested);
        _requested += buffer.Length;
        buffer.BeginTransfer(IOKind.Read);
        if (_workers is null) Transfer(buffer);
        else _workers.Submit([buffer]);
    }

    private void Transfer(IORequest request)
    {
        var buffer = (ChecksummedBuffer)request;
        try
        {
            _file.Read(buffer.Buffer, buffer.Length, buffer.Offset);
            _damagedBlocks[Array.IndexOf(_buffers, buffer)] = BlockFormat.FirstDamaged(
                _blockIdentity, buffer.FirstBlock, buffer.Buffer, buffer.Length / BlockFormat.BlockSize);
            buffer.EndTransfer(null);
        }
        catch (Exception e)
        {
            buffer.EndTransfer(e);
        }
    }
}
