using System.ComponentModel;
using Faster.Contracts;
using Faster.Engines.HotRing;
using Faster.Memory;

namespace Faster;

/// <summary>
/// The HotRing engine, for <see cref="StoreAttribute.Engine"/>: a hash index of rings whose heads move to the hottest
/// record of each ring, in memory only (paper 002). For reads of highly skewed keys with a small index.
/// </summary>
[Engine(typeof(HotRingStore<,>), typeof(HotRingSession), typeof(HotRingOptions))]
public static class HotRingEngine
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
        HotRingOptions? options, RecordSchema schema, Func<HotRingStart, TStore> make,
        CancellationToken cancellationToken)
        where TStore : HotRingStore
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<TStore>(cancellationToken);
        return new(Open(options ?? new HotRingOptions(), schema, make, ProcessMemory.Own));
    }

    /// <summary>Opens a store in a process of some memory.</summary>
    internal static TStore Open<TStore>(
        HotRingOptions options, RecordSchema schema, Func<HotRingStart, TStore> make, ProcessMemory memory)
    {
        options.Validate();
        memory.ThrowIfBelow(options.MemoryBudget, nameof(HotRingOptions));
        return make(new HotRingStart(options, schema));
    }
}
