using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Works with the types of an emitted store and its session.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IHostedStoreVisitor
{
    /// <summary>Called once, with the types.</summary>
    /// <typeparam name="TStore">The emitted store.</typeparam>
    /// <typeparam name="TSession">The emitted session.</typeparam>
    void Visit<TStore, TSession>()
        where TStore : class, IHostedStore<TStore, TSession>
        where TSession : class, IAsyncDisposable, IDisposable;
}
