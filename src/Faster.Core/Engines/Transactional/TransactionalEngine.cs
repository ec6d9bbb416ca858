using System.ComponentModel;
using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Memory;
using Faster.Opening;
using Faster.Tables;

namespace Faster;

/// <summary>
/// The transactional engine, for <see cref="StoreAttribute.Engine"/>: records in memory that transactions over several
/// keys read and write as if they ran one after another (paper 004 §4).
/// </summary>
[Engine(typeof(TransactionalStore<,>), typeof(TransactionalSession), typeof(TransactionalOptions))]
public static class TransactionalEngine
{
    /// <summary>Opens an empty store, which is kept in memory only.</summary>
    /// <param name="options">The options, or null for the defaults.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="make">Makes the store, of the emitted type.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">The options conflict; the message says why.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static ValueTask<TStore> OpenAsync<TStore>(
        TransactionalOptions? options, RecordSchema schema, Func<TransactionalStart, TStore> make,
        CancellationToken cancellationToken)
        where TStore : TransactionalStore
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<TStore>(cancellationToken);
        return new(Open(options ?? new TransactionalOptions(), schema, make, ProcessMemory.Own));
    }

    /// <summary>Opens a store in a process of some memory.</summary>
    internal static TStore Open<TStore>(
        TransactionalOptions options, RecordSchema schema, Func<TransactionalStart, TStore> make, ProcessMemory memory)
    {
        options.Validate();
        memory.ThrowIfBelow(options.MemoryBudget, nameof(TransactionalOptions));
        long words = AbsentKeyLocks.BytesFor(options.MemoryBudget.Bytes);
        var tier = new StoreOptions
        {
            MemoryBudget = new ByteSize(options.MemoryBudget.Bytes - words), ExpectedKeys = options.ExpectedKeys,
            CloseTimeout = options.CloseTimeout, Allocator = RecordAllocatorKind.InMemory,
        };
        MemoryPlan memoryPlan = MemoryPlan.For(tier, schema);
        return make(new TransactionalStart(options, new StorePlan
        {
            Options = tier, Plan = memoryPlan,
            Metadata = StoreMetadata.New(nameof(TransactionalEngine), schema, memoryPlan.PageBits, tier.SegmentSize),
        }));
    }
}
