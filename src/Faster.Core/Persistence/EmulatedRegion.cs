using Faster.Memory;

namespace Faster.Persistence;

/// <summary>
/// Emulated persistent memory: native memory, with a flush that costs nothing, and fences and loads that spin for
/// a set time (001 §7: 100 ns a fence). The contents end with the process, except as an image.
/// </summary>
/// <remarks>
/// No state is shared between fences, as between processors: it scales as the hardware would. Thread-safe as
/// <see cref="PersistentRegion"/> requires.
/// </remarks>
internal sealed unsafe class EmulatedRegion : PersistentRegion
{
    /// <summary>The time that a fence takes in the paper.</summary>
    public static readonly TimeSpan PaperFenceDelay = TimeSpan.FromMicroseconds(0.1);

    private readonly NativeBlock _memory;
    private readonly long _fenceTicks;

    /// <summary>By how much a load takes longer than from ordinary memory in the paper.</summary>
    public static readonly TimeSpan PaperLoadDelay = TimeSpan.FromMicroseconds(0.15);

    /// <summary>Creates a region of zeros.</summary>
    /// <param name="length">The size in bytes.</param>
    /// <param name="fenceDelay">How long a fence takes, beside the processor's own barrier.</param>
    /// <param name="loadDelay">How much longer a load takes that is announced to <see cref="Loads"/>.</param>
    public EmulatedRegion(long length, TimeSpan fenceDelay, TimeSpan loadDelay = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfLessThan(fenceDelay, TimeSpan.Zero);
        Loads = new LoadDelay(loadDelay);
        _memory = new NativeBlock(length);
        _fenceTicks = LoadDelay.Ticks(fenceDelay);
        Length = length;
    }

    /// <summary>Creates a region with the contents of an image.</summary>
    public EmulatedRegion(ReadOnlySpan<byte> image, TimeSpan fenceDelay)
        : this(image.Length, fenceDelay) => image.CopyTo(new Span<byte>(Pointer, image.Length));

    /// <inheritdoc/>
    public override byte* Pointer => _memory.Pointer;

    /// <inheritdoc/>
    public override long Length { get; }

    /// <inheritdoc/>
    public override string Name => "emulated persistent memory";

    /// <inheritdoc/>
    public override bool FencesOnCaller => true;

    /// <inheritdoc/>
    public override LoadDelay Loads { get; }

    /// <inheritdoc/>
    public override void Flush(long offset, long length) => Check(offset, length);

    /// <summary>Nothing: what is stored needs no flush.</summary>
    /// <inheritdoc/>
    public override void Add(IFlushSource source)
    {
    }

    /// <inheritdoc/>
    public override void Fence()
    {
        Interlocked.MemoryBarrier();
        if (_fenceTicks != 0) LoadDelay.Spin(_fenceTicks);
    }

    /// <summary>A copy of all bytes, for a later region; not atomic beside stores.</summary>
    public byte[] Image() => new ReadOnlySpan<byte>(Pointer, checked((int)Length)).ToArray();

    /// <inheritdoc/>
    public override void Dispose() => _memory.Dispose();
}
