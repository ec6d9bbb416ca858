using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The shape of a store's records. The generator writes it; the engine saves it in the store's metadata.
/// </summary>
/// <param name="KeySlotSize">The size of a key slot in bytes (a multiple of 8), or 0 if keys vary in length.</param>
/// <param name="KeySize">The size of a key in bytes, or 0 if keys vary in length.</param>
/// <param name="ValueSize">The size of a value in bytes, or 0 if values vary in length.</param>
/// <param name="KeyType">The name of the key's type and encoding, for messages.</param>
/// <param name="ValueType">The name of the value's type and encoding, for messages.</param>
/// <remarks>
/// A folder or export that holds other records is rejected. If both sides have a layout, layouts are compared, so that
/// a type may change its name and namespace. If one side has none, type names are compared.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordSchema(
    int KeySlotSize, int KeySize, int ValueSize, string KeyType, string ValueType)
{
    /// <summary>
    /// The meaning of a key's bytes: the encoding, or the fields with names and types, in order. Empty if unknown.
    /// </summary>
    public string KeyLayout { get; init; } = "";

    /// <summary>The meaning of a value's bytes, in the same form as <see cref="KeyLayout"/>.</summary>
    public string ValueLayout { get; init; } = "";

    /// <summary>
    /// Merges deltas; null in a store whose values are not mergeable. It is not part of the metadata.
    /// </summary>
    public ValueMerger? Merger { get; init; }

    /// <summary>Describes how this schema differs from the one by which records were written.</summary>
    /// <param name="written">The schema by which the records were written.</param>
    /// <returns>Both sides, one line each; null if the schemas match.</returns>
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
