using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>The commits, the history of a key, and the tail of a log that has all records. Thread-safe.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogAnalytics : ILogSubscriptions
{
    /// <summary>The commits whose state can be scanned, oldest first.</summary>
    IReadOnlyList<Commit> ScannableCommits { get; }

    /// <summary>Returns the records of one key, newest first, back to the log's begin.</summary>
    /// <param name="key">The key.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    IAsyncEnumerable<RecordVersion<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken cancellationToken)
        where TKey : struct, IKey, allows ref struct;
}
