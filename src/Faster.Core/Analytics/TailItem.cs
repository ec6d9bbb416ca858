namespace Faster;

/// <summary>What a subscriber to the log's tail gets: a record, or word of a gap.</summary>
/// <typeparam name="T">The type of a record.</typeparam>
public readonly record struct TailItem<T>
{
    private TailItem(T? record, long address, long nextAddress, bool isGap) =>
        (Record, Address, NextAddress, IsGap) = (record, address, nextAddress, isGap);

    /// <summary>
    /// Whether the records from <see cref="Address"/> to <see cref="NextAddress"/> were given up before the subscriber
    /// has seen them all; <see cref="Record"/> is the default then.
    /// </summary>
    public bool IsGap { get; }

    /// <summary>The record.</summary>
    public T? Record { get; }

    /// <summary>Where the record, or the gap, begins in the log.</summary>
    public long Address { get; }

    /// <summary>Where to go on behind this item (<see cref="SubscribeOptions.FromAddress"/>).</summary>
    public long NextAddress { get; }

    internal static TailItem<T> Of(T record, long address, long nextAddress) =>
        new(record, address, nextAddress, isGap: false);

    internal static TailItem<T> Gap(long from, long to) => new(default, from, to, isGap: true);
}
