using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;
using Faster.Index;

namespace Faster.Store.Operations;

/// <summary>
/// The index as a session sees it in a quiet epoch: one table, and entries in the first bucket of their chain.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>In a quiet epoch the table is the index's only one: a resize begins with a bump that ends the quiet epoch,
/// and moves nothing before that epoch is safe.</item>
/// </list>
/// <para>Not thread-safe: it belongs to a session.</para>
/// </remarks>
internal unsafe struct QuietIndex<TProbe>(HashIndex<TProbe> index)
    where TProbe : struct, IProbe
{
    private HashBucket* _buckets;
    private long _bucketCount;

    /// <summary>Reads the index's table, under the session's epoch.</summary>
    /// <returns>False while the index is being resized: the epoch is not quiet.</returns>
    public bool TryUse()
    {
        TProbe.Point(ProbePoint.GrowthState);
        IndexState state = index.State;
        _buckets = state.Buckets;
        _bucketCount = state.BucketCount;
        return state.Phase == IndexPhase.Stable;
    }

    /// <summary>Prefetches the first bucket of a hash's chain into the processor's caches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly void Prefetch(ulong hash)
    {
        if (Sse.IsSupported) Sse.Prefetch0(_buckets + HashBits.BucketOf(hash, _bucketCount));
    }

    /// <summary>
    /// The address that a hash's entry leads to if the first bucket of its chain holds it and it does not lead to the
    /// read cache; otherwise 0, which does not mean that the hash has no entry.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly long FindFirst(ulong hash) => BucketChain<TProbe>.FindFirst(
        _buckets + HashBits.BucketOf(hash, _bucketCount), EntryWord.PatternOf(hash));
}
