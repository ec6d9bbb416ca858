using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A record as an engine's scan gives it to a decoder; valid only during the call.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct RecordView
{
    private const long Never = long.MaxValue;
    private static readonly long _mostTime = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>Creates a view of a record that never expires.</summary>
    public RecordView() => Expiry = Never;

    /// <summary>The key's bytes.</summary>
    public required ReadOnlySpan<byte> Key { get; init; }

    /// <summary>The value's bytes; empty for a tombstone.</summary>
    public ReadOnlySpan<byte> Value { get; init; }

    /// <summary>The record's address in the log.</summary>
    public required long Address { get; init; }

    /// <summary>Whether the record is a tombstone, or had expired when it was read.</summary>
    public bool IsTombstone { get; init; }

    /// <summary>
    /// Whether the record is a delta, which must be merged with the key's older records (paper 000 §6.3).
    /// </summary>
    public bool IsDelta { get; init; }

    /// <summary>
    /// The time at which the record expires, in Unix milliseconds; <see cref="long.MaxValue"/> if it never expires.
    /// </summary>
    public long Expiry { get; init; }

    /// <summary>The time at which the record expires; null if it never expires, or too late to represent.</summary>
    public DateTimeOffset? ExpiresAt => Expiry <= _mostTime ? DateTimeOffset.FromUnixTimeMilliseconds(Expiry) : null;
}
