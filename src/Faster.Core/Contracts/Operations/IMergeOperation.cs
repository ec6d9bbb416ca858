namespace Faster.Contracts;

/// <summary>
/// What reads and read-modify-writes of a mergeable (CRDT) store have in common: a key's value may lie in several
/// records, each of which holds a part (paper 000 §2.2, §6.3).
/// </summary>
public interface IMergeOperation : IOperation
{
    /// <summary>
    /// Whether the store's values are merged from partial ones: a constant. Where it is false, nothing is paid for it.
    /// </summary>
    static virtual bool Merges => false;

    /// <summary>
    /// Merges two partial values of a key, neither of which anybody changes meanwhile. Associative and commutative; may
    /// be called any number of times for one operation, but never within a hit.
    /// </summary>
    /// <param name="older">The bytes of the value that was begun first.</param>
    /// <param name="newer">The bytes of the other one.</param>
    /// <param name="merged">
    /// An empty buffer for the bytes of both together. A fixed-size value must fill exactly its size.
    /// </param>
    void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
        throw new NotSupportedException("The store's values are not merged.");
}
