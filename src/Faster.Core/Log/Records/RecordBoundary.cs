namespace Faster.Log.Records;

/// <summary>An address at which a record or a gap begins, so that a walk over records may begin there.</summary>
/// <remarks>
/// Not every address is one: the log is flushed in parts that end within records, so a walk may begin neither at
/// FlushedUntil nor at the start of a block. A walk that begins within a record interprets the user's bytes as headers,
/// and may skip other records without an error. Hence <see cref="RecordWalker"/> does not accept a plain address.
/// Immutable.
/// </remarks>
internal readonly record struct RecordBoundary
{
    private RecordBoundary(long address) => Address = address;

    /// <summary>The address at which a record begins.</summary>
    public long Address { get; }

    /// <summary>The start of an address's page, or the first record: no record crosses the end of a page.</summary>
    /// <param name="address">The address.</param>
    /// <param name="pageBits">The base-2 logarithm of the log's page size.</param>
    public static RecordBoundary PageStart(long address, int pageBits) =>
        new(Math.Max(address >> pageBits << pageBits, PagedLog.FirstAddress));

    /// <summary>
    /// An address at which the tail once was: the log's begin, the start and end of a commit or of a checkpoint of the
    /// index, the safe immutable address, and the position of an earlier walk.
    /// </summary>
    /// <param name="address">Such an address; the caller is responsible for that.</param>
    public static RecordBoundary OfTail(long address) => new(address);
}
