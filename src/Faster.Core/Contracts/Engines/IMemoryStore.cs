using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store that keeps its data in memory only, so that it has no folder.</summary>
/// <typeparam name="TStore">The type of the store.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IMemoryStore<TStore, TOptions>
    where TStore : class
    where TOptions : class
{
    /// <summary>Opens an empty store.</summary>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">The options conflict; the message says why.</exception>
    static abstract ValueTask<TStore> OpenAsync(
        TOptions options, RecordSchema schema, CancellationToken cancellationToken);
}
