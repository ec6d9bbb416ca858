using Faster.Contracts;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The store of <see cref="LatchedEngine"/>. Thread-safe.</summary>
/// <param name="table">The records.</param>
/// <typeparam name="TSession">The emitted session.</typeparam>
/// <typeparam name="TRecord">The emitted record, which an engine without scans never makes.</typeparam>
public abstract class LatchedStore<TSession, TRecord>(LatchedTable table) : IEngineStore<TSession, LatchedOptions>
    where TSession : LatchedSession
{
    /// <inheritdoc/>
    public LatchedOptions Options => table.Options;

    /// <inheritdoc/>
    public TSession StartSession()
    {
        table.ThrowIfClosed();
        return MakeSession(table);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        table.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    /// <summary>Makes a session of the emitted type.</summary>
    protected abstract TSession MakeSession(LatchedTable start);
}
