using Faster.Contracts;

namespace Faster.Operations.Merging;

/// <summary>
/// A conditional insert in a store whose updates merge: it links the whole value of the record's key at the tail, if
/// the record still counts in that value.
/// </summary>
internal interface ICollapse : IConditionalInsert, IMergeOperation
{
    /// <summary>Whether the record is a delta, which must be merged with older values.</summary>
    bool IsDelta { get; }

    /// <summary>Whether the record's value is whole and lies in fragments: it is gathered, and written again.</summary>
    bool IsLarge { get; }

    /// <summary>The deltas that are kept from being updated in the meantime.</summary>
    HeldDeltas HeldDeltas { get; }

    /// <summary>
    /// The address of the delta that this operation has sealed, or whose seal it has returned, and that must be
    /// released if the collapse fails; 0 for none. The algorithm releases it, except after an exception: then the
    /// operation does so when it learns of the failure.
    /// </summary>
    long Sealed { get; set; }

    /// <summary>The length of the value that was linked, in bytes.</summary>
    int Length { set; }
}
