using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Index.Entries;

namespace Faster.Operations.Merging;

/// <summary>
/// Conditional insert in a store whose updates merge (paper 000 §6.3, App. C): if a record still counts in its key's
/// value, one whole record with all of that value is linked at the tail.
/// </summary>
/// <remarks>
/// <para>A record counts if the walk from the entry reaches it before a newer tombstone or whole record. Where no delta
/// is in front of a whole record, that record is copied unchanged and nothing else is read, as by
/// <see cref="ConditionalInsertAlgorithm{TEntries,TOperation}"/>.</para>
/// <para>What is linked is the merge of values none of which can change any more: all but the newest by the rule of
/// <see cref="KeySearch{TKey, TMode, TEntries, TOperation}"/>; the newest because it lies below the safe read-only
/// address, or because it was sealed and the epoch has passed since (<see cref="HeldDeltas"/>), by the very seal that
/// is claimed before the link. It is linked by a compare-and-swap from the very word from which the walk began. So no
/// update is lost, none counts twice, and the value that readers see does not change at that moment
/// (docs/internals/merging-collapse.md has the proof).</para>
/// <para>A seal is kept from one attempt to the next only while the operation waits for the epoch, or for the space of
/// a value's fragments: neither waits for an operation that waits for the seal. If an attempt ends otherwise, the
/// record is released. If an exception ends it, the operation releases the record when it learns of the failure
/// (<see cref="ICollapse.Sealed"/>).</para>
/// </remarks>
internal readonly struct CollapseAlgorithm<TEntries, TOperation> : IAlgorithm<TOperation>
    where TEntries : struct, IEntryAccess<TEntries>
    where TOperation : struct, ICollapse
{
    /// <inheritdoc/>
    public static bool Mutates => true;

    /// <inheritdoc/>
    public static unsafe bool TryHit<TKey>(
        Attempt attempt, QuietView* view, scoped TKey key, byte* record, long address,
        ref TOperation operation)
        where TKey : struct, IKey, allows ref struct => false;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.NoInlining)] // the caller would get an attempt for each mode
    public static Outcome TryUnderEpoch<TKey, TMode>(
        Attempt attempt, scoped TKey key, ulong hash, ref TOperation operation, ChainReadResult? disk)
        where TKey : struct, IKey, allows ref struct
        where TMode : struct, ICommitMode
    {
        scoped CollapseAttempt<TKey, TMode, TEntries, TOperation> made;
        Unsafe.SkipInit(out made);
        return made.Run(attempt, key, hash, ref operation, disk);
    }
}
