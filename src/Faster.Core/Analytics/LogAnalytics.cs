using Faster.Analytics.Transfer;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.LogSessions;

namespace Faster.Analytics;

/// <summary>Scans of a store over hybrid logs, now or as of a commit; the history of a key; subscriptions.</summary>
/// <remarks>Thread-safe, but each enumeration and each transfer has one user.</remarks>
internal abstract class LogAnalytics : StoreScans
{
    private readonly Func<HashSession> _start;

    private protected LogAnalytics(RecordSchema schema, Func<HashSession> start)
        : base(schema) => _start = start;

    /// <summary>
    /// The commits whose state can be scanned, oldest first: the last two, and those before them since which nothing
    /// has been truncated.
    /// </summary>
    public abstract IReadOnlyList<Commit> ScannableCommits { get; }

    /// <summary>Returns the records of one key that are still there, newest first.</summary>
    /// <param name="key">The key.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="StorageException">The disk cannot be read.</exception>
    /// <exception cref="NotSupportedException">The store is in memory only.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public abstract IAsyncEnumerable<RecordVersion<T>> HistoryAsync<TKey, T>(
        scoped TKey key, RecordDecoder<T> decode, CancellationToken cancellationToken = default)
        where TKey : struct, IKey, allows ref struct;

    /// <summary>
    /// Follows the log's tail, of two tiers the hot log's. Returns each record once it is immutable, in the order in
    /// which records were written; what compaction moves is not returned again.
    /// </summary>
    /// <param name="options">Where to start and which records to return; null for records from now on.</param>
    /// <param name="decode">Makes an item of a record.</param>
    /// <param name="cancellationToken">Cancels the subscription.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="ArgumentException">
    /// Thrown during enumeration: no record of the store ends at the start address.
    /// </exception>
    /// <exception cref="DamagedDataException">A block on disk is damaged.</exception>
    /// <exception cref="NotSupportedException">
    /// The store is in memory only; or only committed records are requested, and it has no folder.
    /// </exception>
    public abstract IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken = default);

    /// <summary>Notes a durable commit, before its sessions are informed.</summary>
    internal abstract void OnCommitted(Commit commit, CommitRecord record);

    /// <summary>Ends the scans that are under way.</summary>
    internal abstract void Close();

    private protected override async Task<long> ImportAsync<TLayout>(
        ExportReader reader, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        HashSession session = _start();
        await using (session.ConfigureAwait(false))
        {
            return await SessionImport.RunAsync<TLayout>(
                session, Schema, reader, progress, cancellationToken).ConfigureAwait(false);
        }
    }
}
