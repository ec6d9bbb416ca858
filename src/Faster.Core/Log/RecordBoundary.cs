namespace Faster.Log;

/// <summary>An address at which a record or a gap begins, so that a walk over records may begin there.</summary>
/// <remarks>
/// Not every address is one: the log is flushed in parts that end within records, so that neither FlushedUntil nor the
/// start of a block may begin a walk. A walk from within a record takes the user's bytes for headers, and may step over
/// other records without an error. Hence <see cref="RecordWalker"/> takes no plain address.
/// </remarks>
internal readonly record struct RecordBoundary
{
    private RecordBoundary(long address) => Address = address;

    /// <summary>The address.</summary>
    public long Address { get; }

    /// <summary>Where the page of any address begins, or the first record: none crosses the end of a page.</summary>
    /// <param name="address">The address.</param>
    /// <param name="pageBits">The logarithm of the log's page size.</param>
    public static RecordBoundary PageStart(long address, int pageBits) =>
        new(Math.Max(address >> pageBits << pageBits, PagedLog<Contracts.NoProbe>.FirstAddress));

    /// <summary>
    /// Where the tail stood once: the log's begin, the start and end of a commit or of a checkpoint of the index, the
    /// safe frozen address, and where a walk has stood.
    /// </summary>
    /// <param name="address">Such an address; the caller knows why it is one.</param>
    public static RecordBoundary OfTail(long address) => new(address);
}
