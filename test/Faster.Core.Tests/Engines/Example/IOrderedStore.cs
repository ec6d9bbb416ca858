namespace Faster.Tests.Engines.Example;

/// <summary>The capability that the example adds: reads of a range of keys, all at one moment.</summary>
/// <typeparam name="TRecord">The emitted record.</typeparam>
public interface IOrderedStore<TRecord>
{
    /// <summary>
    /// Returns the records of the keys in a range, as they were at one moment, in the order of the keys' bytes.
    /// </summary>
    /// <param name="first">The bytes of the first key.</param>
    /// <param name="end">The bytes of the key at which the range ends, which is not in it.</param>
    /// <exception cref="SessionMisuseException">The caller is a user function of the store.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    IReadOnlyList<TRecord> ReadRange(ReadOnlySpan<byte> first, ReadOnlySpan<byte> end);
}
