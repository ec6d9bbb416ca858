using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The store of <see cref="LatchedEngine"/>. Thread-safe.</summary>
public sealed class LatchedStore : IEngineStore<LatchedSession, LatchedOptions>,
    IMemoryStore<LatchedStore, LatchedOptions>
{
    private readonly LatchedTable _table;

    private LatchedStore(LatchedOptions options, RecordSchema schema)
    {
        Options = options;
        _table = new LatchedTable(schema.ValueSize, options.MemoryBudget.Bytes);
    }

    /// <inheritdoc/>
    public LatchedOptions Options { get; }

    /// <inheritdoc/>
    public static ValueTask<LatchedStore> OpenAsync(
        LatchedOptions options, RecordSchema schema, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MemoryBudget.Bytes, 1, nameof(options));
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<LatchedStore>(cancellationToken)
            : new(new LatchedStore(options, schema));
    }

    /// <inheritdoc/>
    public LatchedSession StartSession()
    {
        _table.ThrowIfClosed();
        return new LatchedSession(_table);
    }

    /// <inheritdoc/>
    public void Dispose() => _table.Dispose();

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }
}
