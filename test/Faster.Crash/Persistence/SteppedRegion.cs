using Faster.Contracts;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>A region each of whose fences is the caller's own, with steps of a test at its calls.</summary>
/// <param name="inner">The region, which stays its owner's.</param>
/// <param name="besideFence">Called before and after each fence.</param>
/// <param name="afterFlush">Called after each flush.</param>
internal sealed unsafe class SteppedRegion(PersistentRegion inner, Action besideFence, Action? afterFlush = null)
    : PersistentRegion
{
    public override byte* Pointer => inner.Pointer;

    public override long Length => inner.Length;

    public override string Name => inner.Name;

    public override bool FencesOnCaller => true;

    public override StorageException? Failure => inner.Failure;

    public override void Flush(long offset, long length)
    {
        inner.Flush(offset, length);
        afterFlush?.Invoke();
    }

    public override void Add(IFlushSource source) => inner.Add(source);

    public override void Fence()
    {
        besideFence();
        inner.Fence();
        besideFence();
    }

    public override void Dispose()
    {
    }
}
