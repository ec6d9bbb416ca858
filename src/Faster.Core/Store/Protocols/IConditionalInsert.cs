using Faster.Contracts;

namespace Faster;

/// <summary>
/// A record that goes to the tail unless its key has a newer one: the primitive of compaction (paper 003 §5.1).
/// </summary>
internal interface IConditionalInsert : IOperation
{
    /// <summary>Whether nothing is linked: the outcome alone is wanted.</summary>
    static virtual bool OnlyLooks => false;

    /// <summary>The address above which the key's chain must hold no record of the key.</summary>
    long Above { get; }

    /// <summary>The flags of the new record's header.</summary>
    ulong Flags { get; }

    /// <summary>When the new record expires.</summary>
    long Expiry { get; }

    /// <summary>The value's bytes, valid until the operation has completed.</summary>
    ReadOnlySpan<byte> Value { get; }
}
