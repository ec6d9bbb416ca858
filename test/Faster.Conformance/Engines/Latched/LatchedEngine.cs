using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>
/// A dictionary in native memory under one latch, as an engine: it shows that the contract is no alias for FASTER. It
/// has no capability but the operations and, as their plainest form, transactions.
/// </summary>
[Engine(typeof(LatchedStore<,>), typeof(LatchedSession), typeof(LatchedOptions))]
public static class LatchedEngine
{
    /// <summary>Opens an empty store.</summary>
    public static ValueTask<TStore> OpenAsync<TStore>(
        LatchedOptions? options, RecordSchema schema, Func<LatchedTable, TStore> make,
        CancellationToken cancellationToken)
    {
        options ??= new LatchedOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MemoryBudget.Bytes, 1, nameof(options));
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TStore>(cancellationToken)
            : new(make(new LatchedTable(schema, options)));
    }
}
