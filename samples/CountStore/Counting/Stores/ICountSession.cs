using Faster;

namespace CountStore.Counting.Stores;

/// <summary>A session of an <see cref="ICountStore"/>: a struct, so that its calls are calls of the store's.</summary>
internal interface ICountSession : IDisposable
{
    /// <summary>The session's name; null where no later run goes on with it.</summary>
    string? Name { get; }

    /// <summary>The number of its last operation.</summary>
    long SerialNumber { get; }

    /// <summary>Where the last commit of an earlier run has left it.</summary>
    CommitPoint RecoveredPoint { get; }

    /// <summary>How many of its updates wait for the disk.</summary>
    int PendingCount { get; }

    /// <summary>Counts a key once more, without waiting for the disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="context">What learns how the update ends, if it is pending.</param>
    Status Count(ReadOnlySpan<byte> key, UpdateContext context);

    /// <summary>Reads a key's count.</summary>
    ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key);

    /// <summary>Continues the session's pending updates.</summary>
    void CompletePending(bool wait);
}
