namespace Faster.Compaction.Copying;

/// <summary>The memory of one thread of a compaction. Immutable.</summary>
/// <param name="Pages">The number of pages whose records are copied together; one or more.</param>
/// <param name="LookupBytes">The bytes for look-ups that are put off; 0: none is.</param>
internal sealed record CopyMemory(int Pages, long LookupBytes = 0)
{
    /// <summary>One page, and no look-up is put off.</summary>
    public static CopyMemory Least { get; } = new(1);
}
