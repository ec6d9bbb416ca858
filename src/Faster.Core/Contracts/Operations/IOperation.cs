using System.Buffers;

namespace Faster.Contracts;

/// <summary>
/// One operation on its way through an engine: a mutable struct that the generator writes, holding the typed key, the
/// input, the output and the user's context, and calling the user's functions.
/// </summary>
/// <remarks>
/// While the operation is synchronous the struct lives on the caller's stack and may refer to memory that the caller
/// has pinned (<see cref="PinnedBytes"/>). When it goes pending the engine calls <see cref="Capture"/>, copies the
/// struct to the heap, and from then on calls methods of that copy only.
/// </remarks>
public interface IOperation : IValueLayout
{
    /// <summary>
    /// Whether user code may run while the operation is carried out, so that it may throw. Where none does, a hit needs
    /// no guard. A merger does not count: it never runs within a hit.
    /// </summary>
    static virtual bool RunsUserCode => true;

    /// <summary>
    /// Whether a pending operation is continued by whichever thread completes its I/O (the <c>ValueTask</c> form)
    /// rather than by the session's owner in <c>CompletePending</c> (the status form).
    /// </summary>
    bool IsAwaited { get; }

    /// <summary>
    /// Copies what the struct borrowed from the caller's stack, so that the struct may outlive the call; and where the
    /// operation is awaited, rents what the caller will await.
    /// </summary>
    void Capture();

    /// <summary>
    /// A captured operation is done. Called exactly once, outside epoch protection: tells the awaiting caller, or calls
    /// the user's completion callback; then gives back what <see cref="Capture"/> rented.
    /// </summary>
    /// <param name="status">The outcome; <see cref="Status.Pending"/> never.</param>
    /// <param name="error">Why the operation failed, or null.</param>
    void Complete(Status status, Exception? error);
}

/// <summary>A read (paper 000 App. E).</summary>
public interface IReadOperation : IMergeOperation
{
    /// <summary>Reads a value that nobody changes meanwhile.</summary>
    /// <param name="value">The value's bytes.</param>
    void SingleRead(ReadOnlySpan<byte> value);

    /// <summary>
    /// Reads a value in the mutable region, under the record's latch if <see cref="IValueLayout.LatchesReads"/>.
    /// </summary>
    /// <param name="value">The value's bytes. Valid during the call only.</param>
    void ConcurrentRead(ReadOnlySpan<byte> value);

    /// <summary>
    /// Where a value that is larger than a page goes piece by piece, without the other methods being called; null when
    /// they are to have it in one piece, gathered in memory.
    /// </summary>
    IBufferWriter<byte>? Destination => null;
}

/// <summary>A blind update (paper 000 App. E).</summary>
public interface IUpsertOperation : IOperation
{
    /// <summary>The length in bytes of the value to be written; the value's size when that is fixed.</summary>
    int Length { get; }

    /// <summary>Writes the value into a new record that nobody else sees yet.</summary>
    /// <param name="value">Zeroed room for <see cref="Length"/> bytes.</param>
    void SingleWrite(Span<byte> value);

    /// <summary>
    /// Overwrites a value in the mutable region, under the record's latch if <see
    /// cref="IValueLayout.LatchesUpdates"/>.
    /// </summary>
    /// <returns>False when the new value does not fit: the engine then makes a new record.</returns>
    bool ConcurrentWrite(ref ValueSlot value);
}

/// <summary>A read-modify-write (paper 000 App. E).</summary>
public interface IRmwOperation : IMergeOperation
{
    /// <summary>Makes the first value of a key that does not exist.</summary>
    /// <param name="value">
    /// An empty buffer for the value's bytes. A fixed-size value must fill exactly its size.
    /// </param>
    void InitialUpdate(ValueBuffer value);

    /// <summary>
    /// Updates a value in the mutable region, under the record's latch if <see cref="IValueLayout.LatchesUpdates"/>.
    /// </summary>
    /// <returns>False when the new value does not fit (and nothing was changed): the engine then copies.</returns>
    bool InPlaceUpdate(ref ValueSlot value);

    /// <summary>
    /// Makes an updated copy of a value that nobody changes meanwhile. May be called again when a race is lost.
    /// </summary>
    /// <param name="oldValue">The old value's bytes.</param>
    /// <param name="newValue">An empty buffer for the new value's bytes.</param>
    void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue);
}

/// <summary>A deletion.</summary>
public interface IDeleteOperation : IOperation;
