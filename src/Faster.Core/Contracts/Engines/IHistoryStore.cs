using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store of which older records of a key can be read.</summary>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IHistoryStore<TRecord>
{
    /// <summary>Returns the records of one key that are still there, newest first.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    IAsyncEnumerable<RecordVersion<TRecord>> HistoryAsync<TKey>(scoped TKey key, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct;
}
