using System.Numerics;
using System.Runtime.InteropServices;
using Faster.Invariants;

namespace Faster.Memory;

/// <summary>
/// Rents out aligned native buffers for transfers, in sizes of powers of two, under one limit for rented and idle
/// bytes.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Rented and idle bytes together never exceed the limit.</item>
/// <item>Idle buffers are freed before a request is refused.</item>
/// <item>A refusal is a result, not a wait, because callers may be inside an epoch.</item>
/// <item>A buffer has the size of its class, and is returned once.</item>
/// </list>
/// <para>Thread-safe: one short lock. Buffers returned after <see cref="Dispose"/> are freed at once. Large ranges of
/// memory (pages) are <see cref="NativeBlock"/>s instead.</para>
/// </remarks>
internal sealed unsafe class AlignedBufferPool : IDisposable
{
    /// <summary>
    /// The alignment of buffers, and the smallest size, in bytes, unless a pool is made for another: the largest sector
    /// in use.
    /// </summary>
    public const int Alignment = 4096;

    /// <summary>The largest buffer: 1 GiB, the largest transfer.</summary>
    public const int MaxLength = 1 << 30;

    private readonly Lock _gate = new();
    private readonly int _unit;
    private readonly Stack<nint>[] _idle; // by size
    private long _idleBytes;
    private long _lentBytes;
    private bool _disposed;

    /// <summary>Creates an empty pool.</summary>
    /// <param name="limit">The maximum number of bytes, rented and idle together.</param>
    /// <param name="unit">
    /// The alignment of buffers and the smallest size, in bytes: a power of two, a sector or more.
    /// </param>
    public AlignedBufferPool(ByteSize limit, int unit = Alignment)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit.Bytes, nameof(limit));
        ArgumentOutOfRangeException.ThrowIfZero(unit);
        (Limit, _unit) = (limit, unit);
        _idle = new Stack<nint>[ClassOf(MaxLength, unit) + 1];
        for (int i = 0; i < _idle.Length; i++) _idle[i] = new Stack<nint>();
    }

    /// <summary>The maximum number of bytes, rented and idle together.</summary>
    public ByteSize Limit { get; }

    /// <summary>The bytes that are rented now.</summary>
    public long LentBytes
    {
        get
        {
            lock (_gate) return _lentBytes;
        }
    }

    /// <summary>The bytes that are kept for the next callers.</summary>
    public long IdleBytes
    {
        get
        {
            lock (_gate) return _idleBytes;
        }
    }

    /// <summary>Rents a buffer.</summary>
    /// <param name="bytes">The minimum size in bytes: 1 to <see cref="MaxLength"/>.</param>
    /// <param name="buffer">The buffer, of the next power of two from the pool's smallest.</param>
    /// <returns>False when the limit or the system leaves no memory until other buffers are returned.</returns>
    public bool TryRent(int bytes, out AlignedBuffer buffer)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, MaxLength);
        int sizeClass = ClassOf(bytes, _unit);
        int length = _unit << sizeClass;
        buffer = default;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_idle[sizeClass].TryPop(out nint pointer))
            {
                _idleBytes -= length;
            }
            else
            {
                if (_lentBytes + length > Limit.Bytes) return false;
                FreeIdleAbove(Limit.Bytes - _lentBytes - length);
                if (!TryAllocate(length, out pointer)) return false;
            }

            _lentBytes += length;
            Invariant.Check(
                _idleBytes >= 0 && _lentBytes + _idleBytes <= Limit.Bytes,
                $"rented and idle bytes are within the limit: {_lentBytes} + {_idleBytes} ≤ {Limit.Bytes}");
            buffer = new AlignedBuffer((byte*)pointer, length);
            return true;
        }
    }

    /// <summary>As <see cref="TryRent"/>, for callers that cannot wait for others.</summary>
    /// <exception cref="LimitExceededException">There is no memory for the buffer.</exception>
    public AlignedBuffer Rent(int bytes) => TryRent(bytes, out AlignedBuffer buffer)
        ? buffer
        : throw new LimitExceededException(
            $"No space for a buffer of {new ByteSize(bytes)}: {new ByteSize(LentBytes)} of {Limit} are in use. "
            + "Raise the memory budget, or keep fewer operations outstanding.");

    /// <summary>The length of the buffer that is rented for a number of bytes, unless it is a small one.</summary>
    public static int LengthFor(int bytes) => Alignment << ClassOf(bytes, Alignment);

    /// <summary>Takes a buffer back. Its holder returns each buffer once.</summary>
    public void Return(AlignedBuffer buffer)
    {
        if (buffer.Pointer == null) return;
        lock (_gate)
        {
            Invariant.Check(
                BitOperations.IsPow2(buffer.Length) && ((nint)buffer.Pointer & (_unit - 1)) == 0
                    && buffer.Length >= _unit && buffer.Length <= _lentBytes,
                $"a returned buffer is one that was rented: {buffer.Length} bytes, of {_lentBytes} rented");
            _lentBytes -= buffer.Length;
            if (_disposed)
            {
                NativeMemory.AlignedFree(buffer.Pointer);
                return;
            }

            _idle[ClassOf(buffer.Length, _unit)].Push((nint)buffer.Pointer);
            _idleBytes += buffer.Length;
        }
    }

    /// <summary>Frees the idle buffers; rented ones are freed when they are returned.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            FreeIdleAbove(0);
        }
    }

    private static int ClassOf(int bytes, int unit) =>
        BitOperations.Log2((uint)BitOperations.RoundUpToPowerOf2((uint)Math.Max(bytes, unit)) / (uint)unit);

    private bool TryAllocate(int length, out nint pointer)
    {
        try
        {
            pointer = (nint)NativeMemory.AlignedAlloc((nuint)length, (nuint)_unit);
            return true;
        }
        catch (OutOfMemoryException)
        {
            pointer = 0;
            return false;
        }
    }

    // The largest go first: few calls free much memory.
    private void FreeIdleAbove(long bytes)
    {
        for (int i = _idle.Length - 1; i >= 0 && _idleBytes > bytes; i--)
        {
            while (_idleBytes > bytes && _idle[i].TryPop(out nint pointer))
            {
                NativeMemory.AlignedFree((void*)pointer);
                _idleBytes -= _unit << i;
            }
        }
    }
}
