namespace Faster.Persistence;

/// <summary>
/// Bytes in memory that outlive the process: a program stores to <see cref="Pointer"/>, flushes the ranges that it
/// stored, and fences (001 §6: cache-line writeback, persist barrier).
/// </summary>
/// <remarks>
/// <para>Invariants of every region:</para>
/// <list type="number">
/// <item>When a fence has returned, everything that was stored before a flush that returned before the fence began is
/// durable, whichever thread stored and flushed it.</item>
/// <item>What was stored and not fenced may be durable or not, in any subset of cache lines: recovery must check
/// it.</item>
/// <item>After a failed fence no fence succeeds. Which of its ranges are durable is unknown.</item>
/// <item>Length and address are fixed for the region's life: threads hold pointers into it.</item>
/// </list>
/// <para>Thread-safe: any thread may flush and fence at any time, except for <see cref="Dispose"/>, which must be the
/// last call. Stores are the program's own to order.</para>
/// </remarks>
internal abstract unsafe class PersistentRegion : IDisposable
{
    /// <summary>
    /// The first byte, at a multiple of the system's page size. References inside a region are offsets.
    /// </summary>
    public abstract byte* Pointer { get; }

    /// <summary>The size in bytes.</summary>
    public abstract long Length { get; }

    /// <summary>The file or device, for messages.</summary>
    public abstract string Name { get; }

    /// <summary>
    /// Whether a fence takes so little time that each caller makes its own instead of sharing one with others.
    /// </summary>
    public virtual bool FencesOnCaller => false;

    /// <summary>How much longer loads take than from ordinary memory; nothing unless that is emulated.</summary>
    public virtual LoadDelay Loads => default;

    /// <summary>Makes what was stored in a range durable with the next fence. Does not wait, and can't fail.</summary>
    /// <param name="offset">The first byte of the range.</param>
    /// <param name="length">The number of bytes; 0 flushes nothing.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range is not inside the region.</exception>
    public abstract void Flush(long offset, long length);

    /// <summary>Makes fences ask a part of the program what it has stored. Called before it stores anything.</summary>
    /// <param name="source">The part, which stays for the region's life.</param>
    public abstract void Add(IFlushSource source);

    /// <summary>Returns when all flushed ranges are durable.</summary>
    /// <exception cref="StorageException">This fence or an earlier one failed. It must not be retried.</exception>
    public abstract void Fence();

    /// <summary>The failure of a fence, after which none succeeds; null if there was none.</summary>
    public virtual StorageException? Failure => null;

    /// <summary>Releases the memory. What was not fenced may be lost.</summary>
    public abstract void Dispose();

    /// <summary>Throws unless a range is inside the region.</summary>
    protected void Check(long offset, long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset, Length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length - offset);
    }
}
