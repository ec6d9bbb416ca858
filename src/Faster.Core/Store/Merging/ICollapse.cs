using Faster.Contracts;

namespace Faster;

/// <summary>
/// A conditional insert in a store whose updates merge: what goes to the tail is the whole value of the record's key,
/// if the record still counts in it.
/// </summary>
internal interface ICollapse<TProbe> : IConditionalInsert, IMergeOperation
    where TProbe : struct, IProbe
{
    /// <summary>Whether the record holds a partial value, to be merged with older ones.</summary>
    bool IsPartial { get; }

    /// <summary>Whether the record's value is whole and lies in chunks: it is gathered, and written anew.</summary>
    bool IsLarge { get; }

    /// <summary>The newest records that are kept from being updated meanwhile.</summary>
    PartSeals<TProbe> Seals { get; }

    /// <summary>
    /// The record that this operation has sealed, or whose seal it has given back, and that is to be let go if nothing
    /// comes of it; 0: none. The protocol does so, but for an operation that fails: that one does when it is told.
    /// </summary>
    long Sealed { get; set; }

    /// <summary>The length of the value that was linked.</summary>
    int Length { set; }
}
