using System.ComponentModel;

namespace Faster;

/// <summary>An item of a subscription to the log's tail: a record, or a gap.</summary>
/// <typeparam name="T">The type of a record.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct LogEntry<T>
{
    private LogEntry(T? record, long address, long nextAddress, bool isGap) =>
        (Record, Address, NextAddress, IsGap) = (record, address, nextAddress, isGap);

    /// <summary>
    /// Whether this is a gap: records from <see cref="Address"/> to <see cref="NextAddress"/> were truncated before the
    /// subscriber received all of them. <see cref="Record"/> is then the default.
    /// </summary>
    public bool IsGap { get; }

    /// <summary>The record; the type's default for a gap.</summary>
    public T? Record { get; }

    /// <summary>The address in the log at which the record or the gap starts.</summary>
    public long Address { get; }

    /// <summary>
    /// The address from which to resume after this item (<see cref="SubscribeOptions.FromAddress"/>).
    /// </summary>
    public long NextAddress { get; }

    internal static LogEntry<T> Of(T record, long address, long nextAddress) =>
        new(record, address, nextAddress, isGap: false);

    internal static LogEntry<T> Gap(long from, long to) => new(default, from, to, isGap: true);
}
