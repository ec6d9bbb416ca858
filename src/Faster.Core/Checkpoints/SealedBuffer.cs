using System.Runtime.ExceptionServices;
using Faster.Devices;
using Faster.Memory;

namespace Faster.Checkpoints;

/// <summary>A stretch of a sealed file's blocks in native memory, and its way to or from the disk.</summary>
/// <remarks>
/// Invariant: owned by the file's reader or writer, but lent to an I/O thread between <see cref="BeginTransfer"/> and
/// the <see cref="Await"/> that returns after <see cref="EndTransfer"/>. The hand-over orders the memory.
/// </remarks>
internal sealed unsafe class SealedBuffer : IoRequest, IDisposable
{
    /// <summary>The alignment of buffers, lengths and offsets: the largest sector in use.</summary>
    public const int Alignment = BlockGeometry.MaxSector;

    private readonly ManualResetEventSlim _idle = new(true);
    private readonly NativeBlock _block;

    /// <summary>Reserves a buffer.</summary>
    /// <param name="bytes">Its size, a multiple of <see cref="Alignment"/>.</param>
    /// <exception cref="LimitExceededException">The system refuses memory.</exception>
    public SealedBuffer(int bytes)
    {
        Size = bytes;
        _block = new NativeBlock(bytes, hugePages: false);
        Buffer = _block.Pointer;
    }

    /// <summary>Its bytes; <see cref="IoRequest.Length"/> of them are in use.</summary>
    public int Size { get; }

    /// <summary>The first byte after those in use.</summary>
    public byte* End => Buffer + Length;

    /// <summary>The index in the file of its first block.</summary>
    public long FirstBlock => Offset / BlockFormat.BlockSize;

    /// <summary>A buffer's size for a wish: whole blocks of the largest sector.</summary>
    public static int RoundSize(int wanted) =>
        Math.Clamp(wanted, Alignment, Device.MaxTransfer) / Alignment * Alignment;

    /// <summary>Lends it.</summary>
    public void BeginTransfer(IoKind kind)
    {
        Kind = kind;
        Error = null;
        _idle.Reset();
    }

    /// <summary>Gives it back, from the I/O thread.</summary>
    public void EndTransfer(Exception? error)
    {
        Error = error;
        _idle.Set();
    }

    /// <summary>Waits until it is back.</summary>
    public void Await() => _idle.Wait();

    /// <summary>Throws what the transfer has thrown.</summary>
    public void ThrowIfFailed()
    {
        if (Error is not null) ExceptionDispatchInfo.Throw(Error);
    }

    /// <summary>Frees it, when it is back.</summary>
    public void Dispose()
    {
        if (Buffer == null) return;
        Await();
        _idle.Dispose();
        _block.Dispose();
        Buffer = null;
    }
}
