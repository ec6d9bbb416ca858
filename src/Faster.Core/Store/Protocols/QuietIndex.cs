using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Index;

namespace Faster;

/// <summary>
/// The index as a session sees it in an epoch that it has noted as quiet: one table, and entries where they mostly are.
/// </summary>
/// <remarks>
/// Invariant: in a quiet epoch the table is the index's only one; a resize begins with a bump that ends the quiet,
/// and moves nothing before its epoch is safe. Not thread-safe: it belongs to a session.
/// </remarks>
internal unsafe struct QuietIndex<TProbe>(HashIndex<TProbe> index)
    where TProbe : struct, IProbe
{
    private HashBucket* _buckets;
    private long _bucketCount;

    /// <summary>Takes the index's table, under the session's epoch.</summary>
    /// <returns>False while the index is resized: the epoch is not quiet.</returns>
    public bool TryUse()
    {
        TProbe.Point(ProbePoint.GrowthState);
        IndexState state = index.State;
        _buckets = state.Buckets;
        _bucketCount = state.BucketCount;
        return state.Phase == IndexPhase.Stable;
    }

    /// <summary>Brings the first bucket of a hash's chain nearer to the processor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(_buckets + HashBits.BucketOf(hash, _bucketCount));
    }

    /// <summary>
    /// The word of a hash's entry if the first bucket of its chain has it, and it does not lead to the read cache; else
    /// 0, which says nothing.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly ulong FindFirst(ulong hash) => BucketChain<TProbe>.FindFirst(
        _buckets + HashBits.BucketOf(hash, _bucketCount), EntryWord.PatternOf(hash));
}
