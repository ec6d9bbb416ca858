using System.Runtime.ExceptionServices;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Checkpoints.Files;

/// <summary>
/// A run of a checksummed file's blocks in native memory, transferred to or from the disk in one request.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The file's reader or writer owns the buffer, but from <see cref="BeginTransfer"/> until <see cref="Await"/>
/// returns after <see cref="EndTransfer"/> an I/O thread owns it.</item>
/// <item>One transfer at a time.</item>
/// </list>
/// <para>Not thread-safe: the hand-over orders the memory accesses.</para>
/// </remarks>
internal sealed unsafe class ChecksummedBuffer : IORequest, IDisposable
{
    /// <summary>The alignment of buffers, lengths and offsets: the largest sector in use.</summary>
    public const int Alignment = BlockGeometry.MaxSector;

    private readonly ManualResetEventSlim _idle = new(true);

    /// <summary>Makes a buffer over memory that is freed after the buffer is disposed of.</summary>
    /// <param name="memory">The memory.</param>
    /// <param name="number">How many buffers of the same size lie before it in the memory.</param>
    /// <param name="bytes">The size in bytes, a multiple of <see cref="Alignment"/>.</param>
    public ChecksummedBuffer(NativeBlock memory, int number, int bytes)
    {
        Size = bytes;
        Buffer = memory.Pointer + ((long)number * bytes);
    }

    /// <summary>The size in bytes, of which <see cref="IORequest.Length"/> are in use.</summary>
    public int Size { get; }

    /// <summary>The first byte behind those in use.</summary>
    public byte* End => Buffer + Length;

    /// <summary>The index in the file of the buffer's first block.</summary>
    public long FirstBlock => Offset / BlockFormat.BlockSize;

    /// <summary>Rounds a requested size to whole sectors, within the limits of a transfer.</summary>
    public static int RoundSize(int wanted) =>
        Math.Clamp(wanted, Alignment, Device.MaxTransfer) / Alignment * Alignment;

    /// <summary>Hands the buffer to an I/O thread.</summary>
    public void BeginTransfer(IOKind kind)
    {
        Invariant.Check(_idle.IsSet, $"one transfer at a time of the buffer at {Offset}");
        Kind = kind;
        Error = null;
        _idle.Reset();
    }

    /// <summary>Returns the buffer to its owner; called by the I/O thread.</summary>
    public void EndTransfer(Exception? error)
    {
        Error = error;
        _idle.Set();
    }

    /// <summary>Waits until no transfer is under way.</summary>
    public void Await() => _idle.Wait();

    /// <summary>Throws the exception of a failed transfer.</summary>
    public void ThrowIfFailed()
    {
        if (Error is not null) ExceptionDispatchInfo.Throw(Error);
    }

    /// <summary>Waits for a transfer under way. Idempotent.</summary>
    public void Dispose()
    {
        if (Buffer == null) return;
        Await();
        _idle.Dispose();
        Buffer = null;
    }
}
