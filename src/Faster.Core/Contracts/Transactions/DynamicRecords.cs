using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The records of a dynamic transaction, which an engine finds and locks as the transaction asks for them.
/// </summary>
/// <remarks>
/// Not thread-safe: it belongs to one session. A conflict unwinds the user's method by an exception of the engine's
/// own. The engine runs the transaction again whether or not that exception arrives.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class DynamicRecords
{
    /// <summary>
    /// Finds a key's record and locks it for an access, or finds it among those that the transaction has.
    /// </summary>
    /// <param name="key">The key's bytes, without prefix and padding.</param>
    /// <param name="access">The access; it is never weaker than one before.</param>
    /// <returns>
    /// The record, whose values of any size are written to the <see cref="Buffer"/>. Valid until the next call.
    /// </returns>
    public abstract ref TransactionRecord Find(scoped ReadOnlySpan<byte> key, RecordAccess access);

    /// <summary>Receives new values, one after another.</summary>
    public abstract ValueBuffer Buffer { get; }
}
