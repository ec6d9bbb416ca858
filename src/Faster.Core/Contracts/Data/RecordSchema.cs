namespace Faster.Contracts;

/// <summary>
/// What a store's records look like: the generator writes it, the engine keeps it in the store's metadata.
/// </summary>
/// <param name="KeySlotSize">The bytes of a key slot (a multiple of 8), or 0 when keys vary in length.</param>
/// <param name="KeySize">The bytes of a key, or 0 when keys vary in length.</param>
/// <param name="ValueSize">The bytes of a value, or 0 when values vary in length.</param>
/// <param name="KeyType">A name of the key's type and encoding, to refuse a folder that holds other keys.</param>
/// <param name="ValueType">A name of the value's type and encoding, likewise.</param>
public readonly record struct RecordSchema(
    int KeySlotSize, int KeySize, int ValueSize, string KeyType, string ValueType)
{
    /// <summary>
    /// Merges partial values; null in a store whose updates are not merged. Code, not shape: it is no part of the
    /// metadata.
    /// </summary>
    public ValueMerger? Merger { get; init; }
}
