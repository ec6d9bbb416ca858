using Faster;

namespace CountStore.Counting.Stores;

/// <summary>A session of an <see cref="ICountStore"/>.</summary>
internal interface ICountSession
{
    /// <summary>What all sessions have: a name, serial numbers, pending updates, an end.</summary>
    ICommittingSession Base { get; }

    /// <summary>Counts a key once more, without waiting for the disk.</summary>
    /// <param name="key">The key.</param>
    /// <param name="context">What learns how the update ends, if it is pending.</param>
    Status Count(ReadOnlySpan<byte> key, UpdateContext context);

    /// <summary>Counts a key once more, and waits for the disk where it must.</summary>
    ValueTask<Status> CountAsync(ReadOnlySpan<byte> key);

    /// <summary>Reads a key's count.</summary>
    ValueTask<ReadResult<long>> ReadAsync(ReadOnlySpan<byte> key);
}
