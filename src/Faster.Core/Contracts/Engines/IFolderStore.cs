using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store that keeps its data in a folder, and recovers them when it is opened.</summary>
/// <typeparam name="TStore">The type of the store.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IFolderStore<TStore, TOptions>
    where TStore : class
    where TOptions : class
{
    /// <summary>Opens a store in the state that its folder has, or empty.</summary>
    /// <param name="path">The store's folder, or null for a store that is kept in memory only.</param>
    /// <param name="options">The options.</param>
    /// <param name="schema">The layout of the records.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">The folder cannot be used, or the options conflict.</exception>
    /// <exception cref="DamagedDataException">Data in the folder is damaged.</exception>
    static abstract ValueTask<TStore> OpenAsync(
        string? path, TOptions options, RecordSchema schema, CancellationToken cancellationToken);
}
