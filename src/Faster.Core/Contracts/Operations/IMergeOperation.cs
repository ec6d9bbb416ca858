using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The common base of reads and read-modify-writes. In a mergeable (CRDT) store a key's value may be spread over
/// several records: deltas and a whole value below them (paper 000 §2.2, §6.3).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IMergeOperation : IOperation
{
    /// <summary>
    /// Whether the store's values are merged from deltas. A constant: where it is false, merging costs nothing.
    /// </summary>
    static virtual bool Merges => false;

    /// <summary>
    /// Merges two deltas of a key, or a delta and a whole value; no thread changes either during the call. Associative
    /// and commutative. May be called any number of times for one operation, but never within a hit.
    /// </summary>
    /// <param name="older">The bytes of the value that was started first.</param>
    /// <param name="newer">The bytes of the other value.</param>
    /// <param name="merged">
    /// An empty buffer for the merged bytes. A fixed-size value must fill exactly its size.
    /// </param>
    void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged) =>
        throw new NotSupportedException("The store's values are not merged.");
}
