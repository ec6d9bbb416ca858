using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>What the store of every engine offers.</summary>
/// <remarks>Thread-safe. Closing a store closes its sessions; both ways of closing are idempotent.</remarks>
/// <typeparam name="TSession">The type of its sessions.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IEngineStore<TSession, TOptions> : IStore
    where TSession : class, IEngineSession
    where TOptions : EngineOptions
{
    /// <summary>The options with which the store was opened.</summary>
    new TOptions Options { get; }

    /// <summary>Starts a session without a name.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    TSession StartSession();

    EngineOptions IStore.Options => Options;
}
