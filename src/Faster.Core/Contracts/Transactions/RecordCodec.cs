using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Turns a store's keys and values into bytes and back, for dynamic transactions. Thread-safe.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TValue">The type of the values.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class RecordCodec<TKey, TValue>
{
    /// <summary>Writes the bytes of a key.</summary>
    public abstract void EncodeKey(TKey key, ValueBuffer destination);

    /// <summary>Writes the bytes of a value.</summary>
    public abstract void EncodeValue(TValue value, ValueBuffer destination);

    /// <summary>Reads a value from its bytes.</summary>
    public abstract TValue DecodeValue(ReadOnlySpan<byte> bytes);
}
