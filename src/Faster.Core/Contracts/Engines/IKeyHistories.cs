using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Scans of a store, and the older records of its keys. Thread-safe.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IKeyHistories : IStoreScans
{
    /// <summary>Returns the records of one key that are still there, newest first.</summary>
    /// <param name="key">The key.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    IAsyncEnumerable<RecordVersion<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct;
}
