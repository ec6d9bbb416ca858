namespace Faster.Contracts;

/// <summary>The shape of a store's records: what the engine must know to walk them without the user's code.</summary>
/// <param name="KeySlotSize">The bytes of every key slot, a multiple of 8; 0 when keys vary in length.</param>
/// <param name="KeySize">The bytes of every key; 0 when keys vary in length.</param>
/// <param name="ValueSize">The bytes of every value; 0 when values vary in length.</param>
/// <param name="KeyType">The key's type, for messages and metadata.</param>
/// <param name="ValueType">The value's type, likewise.</param>
public readonly record struct RecordSchema(
    int KeySlotSize, int KeySize, int ValueSize, string KeyType, string ValueType);
