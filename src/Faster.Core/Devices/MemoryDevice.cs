using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Faster.Invariants;

namespace Faster.Devices;

/// <summary>A device in native memory, for tests and for stores that need not outlive their process.</summary>
/// <remarks>
/// <para>Invariants, besides those of <see cref="Device"/>:</para>
/// <list type="bullet">
/// <item>As on a disk, bytes between writes read as zero, and a read beyond the last write is an error.</item>
/// <item>The bytes held are those of the chunks that exist, and never exceed the capacity.</item>
/// <item>What was truncated is never read again.</item>
/// </list>
/// <para>Sparse: memory is allocated in chunks of 64 KiB as they are written, and freed by truncation. Requests
/// complete inside <see cref="Submit"/>. Thread-safe as <see cref="Device"/> requires; transfers run in parallel, and
/// truncation waits for them.</para>
/// </remarks>
public sealed unsafe class MemoryDevice : Device
{
    private const int ChunkBytes = 64 << 10;

    private readonly CompletionQueue _completions = new();
    private readonly ConcurrentDictionary<long, nint> _chunks = new();
    private readonly ReaderWriterLockSlim _truncating = new();
    private readonly Lock _growing = new();
    private readonly long _capacity;
    private long _held;
    private long _end;
    private long _begin;    // of the first chunk that was not truncated
    private bool _disposed;

    /// <summary>Creates an empty device.</summary>
    /// <param name="capacity">
    /// The maximum number of bytes that it holds at a time, in whole chunks of 64 KiB (at least one); writes beyond
    /// that fail as on a full disk. No limit by default.
    /// </param>
    /// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
    public MemoryDevice(ByteSize? capacity = null, int sectorSize = 512)
    {
        long bytes = capacity?.Bytes ?? long.MaxValue;
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes, nameof(capacity));
        _capacity = Math.Max(bytes, ChunkBytes);
        SectorSize = RequestCheck.SectorSize(sectorSize);
    }

    /// <inheritdoc/>
    public override int SectorSize { get; }

    /// <inheritdoc/>
    public override string Name => "memory";

    /// <summary>The bytes of memory that the device holds now.</summary>
    public ByteSize Held => new(Volatile.Read(ref _held));

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        foreach (IORequest request in requests)
        {
            request.Error = RequestCheck.Find(request, this) ?? Run(request);
            _completions.Post(request);
        }
    }

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

    /// <summary>Does nothing, because memory can't be made durable.</summary>
    public override void Sync() => ObjectDisposedException.ThrowIf(_disposed, this);

    /// <inheritdoc/>
    public override void TruncateBelow(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        _truncating.EnterWriteLock();
        try
        {
            _begin = Math.Max(_begin, offset / ChunkBytes * ChunkBytes);
            foreach (long number in _chunks.Keys.Where(n => n < _begin / ChunkBytes))
            {
                if (!_chunks.TryRemove(number, out nint chunk)) continue;
                NativeMemory.Free((void*)chunk);
                _held -= ChunkBytes;
            }

            Invariant.Check(
                _held == _chunks.Count * (long)ChunkBytes, $"{_held} bytes are held in {_chunks.Count} chunks");
        }
        finally
        {
            _truncating.ExitWriteLock();
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (_disposed) return;
        _disposed = true;
        foreach (nint chunk in _chunks.Values) NativeMemory.Free((void*)chunk);
        _chunks.Clear();
        _held = 0;
        if (disposing) _truncating.Dispose();
    }

    private FasterException? Run(IORequest request)
    {
        _truncating.EnterReadLock();
        try
        {
            if (request.Offset < _begin) return DeviceErrors.Truncated(request, Name, request.Offset, _begin);
            long left = Volatile.Read(ref _end) - request.Offset;
            if (request.Kind == IOKind.Read && left < request.Length)
                return DeviceErrors.EndOfData(request, Name, request.Offset, (int)Math.Max(left, 0));
            return Copy(request);
        }
        finally
        {
            _truncating.ExitReadLock();
        }
    }

    private StorageException? Copy(IORequest request)
    {
        for (int done = 0; done < request.Length;)
        {
            long at = request.Offset + done;
            int inChunk = (int)(at % ChunkBytes);
            int count = Math.Min(request.Length - done, ChunkBytes - inChunk);
            byte* buffer = request.Buffer + done;
            _ = _chunks.TryGetValue(at / ChunkBytes, out nint chunk);
            if (request.Kind == IOKind.Read)
            {
                if (chunk == 0) NativeMemory.Clear(buffer, (nuint)count);
                else NativeMemory.Copy((byte*)chunk + inChunk, buffer, (nuint)count);
            }
            else
            {
                if (chunk == 0 && !TryGrow(at / ChunkBytes, out chunk))
                    return DeviceErrors.DiskFull(request, Name, request.Offset);
                NativeMemory.Copy(buffer, (byte*)chunk + inChunk, (nuint)count);
                ExtendTo(at + count);
            }

            done += count;
        }

        return null;
    }

    private bool TryGrow(long number, out nint chunk)
    {
        lock (_growing)
        {
            if (_chunks.TryGetValue(number, out chunk)) return true;
            if (_held > _capacity - ChunkBytes) return false;
            try
            {
                chunk = (nint)NativeMemory.AllocZeroed(ChunkBytes);
            }
            catch (OutOfMemoryException)
            {
                return false;
            }

            _chunks[number] = chunk;
            _held += ChunkBytes;
            return true;
        }
    }

    private void ExtendTo(long end)
    {
        long seen = Volatile.Read(ref _end);
        while (seen < end)
        {
            long before = Interlocked.CompareExchange(ref _end, end, seen);
            if (before == seen) return;
            seen = before;
        }
    }
}
