using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// An emitted store of which only the type is given: it names its session, so that a user need not, and nothing is
/// looked up by reflection.
/// </summary>
/// <typeparam name="TStore">The emitted store.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IHostedStore<TStore> : IAsyncDisposable, IDisposable
    where TStore : class, IHostedStore<TStore>
{
    /// <summary>Calls a visitor with the types of the store and its session.</summary>
    /// <param name="visitor">The visitor.</param>
    static abstract void ShowTo(IHostedStoreVisitor visitor);
}

/// <summary>An emitted store as a host knows it, whatever its class and its engine.</summary>
/// <typeparam name="TStore">The emitted store.</typeparam>
/// <typeparam name="TSession">The emitted session.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IHostedStore<TStore, TSession> : IHostedStore<TStore>
    where TStore : class, IHostedStore<TStore, TSession>
    where TSession : class, IAsyncDisposable, IDisposable
{
    /// <summary>The default options of the engine.</summary>
    static abstract EngineOptions DefaultOptions { get; }

    /// <summary>Opens the store.</summary>
    /// <param name="path">
    /// The store's folder, or null for a store that is kept in memory only. A store of an engine without a folder
    /// requires null.
    /// </param>
    /// <param name="options">Options of the type of <see cref="DefaultOptions"/>; null for the defaults.</param>
    /// <param name="progress">Receives the progress of a recovery on threads of the store; or null.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentException">The options are of another engine.</exception>
    /// <exception cref="StoreOpenException">
    /// The folder cannot be used, or the options conflict; the message says why.
    /// </exception>
    static abstract ValueTask<TStore> OpenAsync(
        string? path, EngineOptions? options, IProgress<RecoveryProgress>? progress,
        CancellationToken cancellationToken);

    /// <summary>Starts a session without a name.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    TSession StartSession();

    static void IHostedStore<TStore>.ShowTo(IHostedStoreVisitor visitor) => visitor.Visit<TStore, TSession>();
}
