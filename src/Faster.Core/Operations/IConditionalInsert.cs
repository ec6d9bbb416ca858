using Faster.Contracts;

namespace Faster.Operations;

/// <summary>
/// A record that is appended at the tail unless its key has a newer one: the primitive of compaction (paper 003 §5.1).
/// </summary>
internal interface IConditionalInsert : IOperation
{
    /// <summary>Whether the operation only checks, and links nothing.</summary>
    static virtual bool OnlyLooks => false;

    /// <summary>
    /// In place of <see cref="Above"/>, the address that no record is above: the record came from another tier, and is
    /// newer than all that the chain holds. So it is linked in any case, and may be the first one of its chain.
    /// </summary>
    const long Nothing = (1L << 48) - 1;

    /// <summary>The address above which the key's chain must hold no record of the key.</summary>
    long Above { get; }

    /// <summary>The flags of the new record's header.</summary>
    ulong Flags { get; }

    /// <summary>The new record's expiry.</summary>
    long Expiry { get; }

    /// <summary>The value's bytes, valid until the operation has completed.</summary>
    ReadOnlySpan<byte> Value { get; }
}
