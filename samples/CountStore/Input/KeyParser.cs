namespace CountStore.Input;

/// <summary>
/// Cuts a stream of bytes, given in blocks of any size, into keys. A parser's state goes from block to block, so that
/// where the blocks end does not matter.
/// </summary>
/// <remarks>
/// A key that is begun stands at the end of the batch, so the same batch comes back until it is full, and it is full
/// only at the end of a key. Not thread-safe.
/// </remarks>
internal abstract class KeyParser
{
    /// <summary>Takes bytes until they are used up or the batch is full.</summary>
    /// <returns>How many bytes were taken.</returns>
    /// <exception cref="InputException">The bytes do not have the format.</exception>
    public abstract int Parse(ReadOnlySpan<byte> block, KeyBatch batch);

    /// <summary>The input ends: ends the last key. The parser is then at the start of the next input.</summary>
    /// <exception cref="InputException">The input must not end here.</exception>
    public abstract void End(KeyBatch batch);
}
