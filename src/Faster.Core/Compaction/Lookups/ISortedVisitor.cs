namespace Faster.Compaction.Lookups;

/// <summary>The records whose beginnings <see cref="SortedReads"/> reads.</summary>
internal unsafe interface ISortedVisitor
{
    /// <summary>The address of a record, and the bytes wanted of it, which lie in its page. Addresses ascend.</summary>
    (long Address, int Length) RangeOf(int index);

    /// <summary>Takes the bytes of a record.</summary>
    /// <param name="index">The record's number.</param>
    /// <param name="bytes">The bytes, valid during the call; null if they could not be read, or are damaged.</param>
    void Visit(int index, byte* bytes);
}
