namespace Faster;

/// <summary>Specifies how an operation ended, or that it has not ended yet (paper 000 §2.2).</summary>
/// <remarks>Code that ignores a status also ignores <see cref="Pending"/>: the analyzer reports it (FAS101).</remarks>
public enum Status
{
    /// <summary>
    /// The operation is done. A read has found the key; a read-modify-write has updated a record that existed; an
    /// upsert or a deletion does not say whether there was one.
    /// </summary>
    /// <remarks>
    /// In a store with a <c>[Merger]</c>, a read-modify-write may append a delta without a look at the key's record:
    /// there <c>Ok</c> may also be a creation.
    /// </remarks>
    Ok = 0,

    /// <summary>
    /// A read-modify-write is done, and has created the key's record: there was none, or it was deleted or expired. No
    /// other operation returns this: an upsert does not look for an older record.
    /// </summary>
    Created = 1,

    /// <summary>The operation is done: the key does not exist.</summary>
    NotFound = 2,

    /// <summary>
    /// The operation is not done yet: it waits for the disk. <c>CompletePending</c> continues it and calls the
    /// completion callback. The <c>Async</c> forms never return this.
    /// </summary>
    Pending = 3,
}
