using Faster.Memory;
using Faster.Persistence;

namespace Faster.Tests.Operations.Journaling;

/// <summary>A region whose bytes count as durable once a fence is over, which a test may hold up.</summary>
/// <param name="length">The bytes.</param>
/// <param name="fencesOnCaller">Whether who takes a ticket fences.</param>
internal sealed unsafe class MemoryRegion(int length, bool fencesOnCaller) : RangeRegion
{
    private readonly NativeBlock _memory = new(length);

    /// <summary>Signaled where fences may end.</summary>
    public ManualResetEventSlim MaySync { get; } = new(initialState: true);

    /// <summary>Signaled once a fence has been held up.</summary>
    public ManualResetEventSlim IsHeldUp { get; } = new();

    public override byte* Pointer => _memory.Pointer;

    public override long Length => length;

    public override string Name => "memory";

    public override bool FencesOnCaller => fencesOnCaller;

    protected override int Unit => 8;

    public override void Dispose()
    {
        _memory.Dispose();
        MaySync.Dispose();
        IsHeldUp.Dispose();
    }

    protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
    {
        if (!MaySync.IsSet) IsHeldUp.Set();
        MaySync.Wait();
    }
}
