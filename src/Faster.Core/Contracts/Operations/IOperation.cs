using System.Buffers;
using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// One operation as the engine runs it: a mutable struct, written by the generator, that holds the typed key, the
/// input, the output and the user's context, and calls the user's functions.
/// </summary>
/// <remarks>
/// While the operation is synchronous, the struct lives on the caller's stack and may refer to memory that the caller
/// has pinned (<see cref="PinnedBytes"/>). When the operation goes pending, the engine calls <see cref="Capture"/>,
/// copies the struct to the heap, and from then on calls only the methods of that copy.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IOperation : IValueLayout
{
    /// <summary>
    /// Whether user code that may throw can run within a hit, which then needs a guard. Mergers do not count, because
    /// none runs within a hit. A read without such code reads a word by <c>ConcurrentRead</c> wherever it lies.
    /// </summary>
    static virtual bool RunsUserCode => true;

    /// <summary>
    /// Whether the caller looks at the operation after the call. It does not if the operation has no output, in the
    /// status form: then a call that is not inlined returns only the status.
    /// </summary>
    static virtual bool IsReturned => true;

    /// <summary>
    /// Whether a pending operation is continued by the thread that completes its I/O (the <c>ValueTask</c> form) rather
    /// than by the session's owner in <c>CompletePending</c> (the status form).
    /// </summary>
    bool IsAwaited { get; }

    /// <summary>
    /// Copies the bytes that the struct borrowed from the caller's stack, so that the struct may outlive the call. If
    /// the operation is awaited, also rents the result that the caller will await.
    /// </summary>
    void Capture();

    /// <summary>
    /// Completes a captured operation: signals the awaiting caller or calls the user's completion callback, and then
    /// releases what <see cref="Capture"/> rented. Called exactly once, outside epoch protection.
    /// </summary>
    /// <param name="status">The outcome; never <see cref="Status.Pending"/>.</param>
    /// <param name="error">Why the operation failed, or null.</param>
    void Complete(Status status, Exception? error);
}

/// <summary>A read (paper 000 App. E).</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IReadOperation : IMergeOperation
{
    /// <summary>Reads a value that no other thread changes during the call.</summary>
    /// <param name="value">The value's bytes.</param>
    void SingleRead(ReadOnlySpan<byte> value);

    /// <summary>
    /// Reads a value in the mutable region, under the record's latch if <see cref="IValueLayout.LatchesReads"/>.
    /// </summary>
    /// <param name="value">The value's bytes. Valid only during the call.</param>
    void ConcurrentRead(ReadOnlySpan<byte> value);

    /// <summary>
    /// Receives a value larger than a page in fragments, instead of the other methods being called; null if they must
    /// receive the value in one piece, gathered in memory.
    /// </summary>
    IBufferWriter<byte>? Destination => null;
}

/// <summary>A blind update (paper 000 App. E).</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IUpsertOperation : IOperation
{
    /// <summary>The length in bytes of the new value; the value's size if that is fixed.</summary>
    int Length { get; }

    /// <summary>Writes the value into a new record that no other thread can see yet.</summary>
    /// <param name="value">Zeroed space of <see cref="Length"/> bytes.</param>
    void SingleWrite(Span<byte> value);

    /// <summary>
    /// Overwrites a value in the mutable region, under the record's latch if <see cref="IValueLayout.LatchesUpdates"/>.
    /// </summary>
    /// <returns>False if the new value does not fit: the engine then makes a new record.</returns>
    bool ConcurrentWrite(ref ValueSlot value);
}

/// <summary>A read-modify-write (paper 000 App. E).</summary>
/// <remarks>
/// An operation with an output holds the output of the method that succeeded last. That is the one whose value the
/// engine stores: it calls none after it, or calls it again.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
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
    /// <returns>
    /// False if the new value does not fit and nothing was changed, the output included: the engine then makes an
    /// updated copy.
    /// </returns>
    bool InPlaceUpdate(ref ValueSlot value);

    /// <summary>
    /// Makes an updated copy of a value that no other thread changes during the call. Called again if the copy loses a
    /// race.
    /// </summary>
    /// <param name="oldValue">The old value's bytes.</param>
    /// <param name="newValue">An empty buffer for the new value's bytes.</param>
    void CopyUpdate(ReadOnlySpan<byte> oldValue, ValueBuffer newValue);
}

/// <summary>A deletion.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IDeleteOperation : IOperation;
