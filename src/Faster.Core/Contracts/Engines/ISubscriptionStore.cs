using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store that writes all updates to one log, the tail of which can be followed.</summary>
/// <typeparam name="TRecord">The emitted record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ISubscriptionStore<TRecord>
{
    /// <summary>
    /// Follows the log's tail, of two tiers the hot log's. Returns each record once it is immutable, in the order in
    /// which records were written, and a gap where records were truncated before they were returned. Ends when the
    /// store closes.
    /// </summary>
    /// <param name="options">Where to start and which records to return; null for records from now on.</param>
    /// <param name="cancellationToken">Ends the subscription.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="ArgumentException">
    /// Thrown during enumeration: no record of the store ends at the start address.
    /// </exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="NotSupportedException">
    /// The store has no log; or only committed records are requested, and it has no folder.
    /// </exception>
    IAsyncEnumerable<LogEntry<TRecord>> SubscribeAsync(SubscribeOptions? options, CancellationToken cancellationToken);
}
