namespace Faster.Contracts;

/// <summary>
/// What a store's records look like: the generator writes it, the engine keeps it in the store's metadata.
/// </summary>
/// <param name="KeySlotSize">The bytes of a key slot (a multiple of 8), or 0 when keys vary in length.</param>
/// <param name="KeySize">The bytes of a key, or 0 when keys vary in length.</param>
/// <param name="ValueSize">The bytes of a value, or 0 when values vary in length.</param>
/// <param name="KeyType">A name of the key's type and encoding, for messages.</param>
/// <param name="ValueType">A name of the value's type and encoding, for messages.</param>
/// <remarks>
/// A folder or export that holds other records is refused. Layouts decide where both sides have one: a type may change
/// its name and namespace. Where one side has none, the names of types decide.
/// </remarks>
public readonly record struct RecordSchema(
    int KeySlotSize, int KeySize, int ValueSize, string KeyType, string ValueType)
{
    /// <summary>
    /// What the bytes of a key mean: the encoding, or the fields with names and types, in order. Empty where unknown.
    /// </summary>
    public string KeyLayout { get; init; } = "";

    /// <summary>What the bytes of a value mean, likewise.</summary>
    public string ValueLayout { get; init; } = "";

    /// <summary>
    /// Merges partial values; null in a store whose updates are not merged. Code, not shape: it is no part of the
    /// metadata.
    /// </summary>
    public ValueMerger? Merger { get; init; }

    /// <summary>Says how records differ that are read by this schema but were written by another.</summary>
    /// <param name="written">The schema by which they were written.</param>
    /// <returns>Both sides, a line each; null where the records are the same.</returns>
    internal string? Misfit(RecordSchema written)
    {
        bool keysFit = written.KeySlotSize == KeySlotSize
            && Fits(written.KeySize, written.KeyType, written.KeyLayout, KeySize, KeyType, KeyLayout);
        bool valuesFit = Fits(
            written.ValueSize, written.ValueType, written.ValueLayout, ValueSize, ValueType, ValueLayout);
        string keys = keysFit ? "" : Sides(
            "key", Text(written.KeySize, written.KeyType, written.KeyLayout), Text(KeySize, KeyType, KeyLayout));
        string values = valuesFit ? "" : Sides(
            "value", Text(written.ValueSize, written.ValueType, written.ValueLayout),
            Text(ValueSize, ValueType, ValueLayout));
        return keysFit && valuesFit ? null : keys + values;
    }

    private static bool Fits(
        int writtenSize, string writtenType, string writtenLayout, int size, string type, string layout)
    {
        bool isTold = writtenLayout.Length > 0 && layout.Length > 0;
        return writtenSize == size && (isTold ? writtenLayout == layout : writtenType == type);
    }

    private static string Sides(string what, string written, string here) =>
        $"\n  {what} there: {written}\n  {what} here:  {here}";

    private static string Text(int size, string type, string layout) =>
        type + (layout.Length == 0 || layout == type ? "" : $" = {layout}") + (size == 0 ? "" : $" ({size} bytes)");
}
