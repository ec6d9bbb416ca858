using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Scans of a store, and the tail of the log in which all of its updates are written. Thread-safe.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogSubscriptions : IStoreScans
{
    /// <summary>Follows the log's tail: returns each record once it is immutable, in the order of the log.</summary>
    /// <param name="options">Where to start and which records to return; null for records from now on.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Ends the subscription.</param>
    IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken);
}
