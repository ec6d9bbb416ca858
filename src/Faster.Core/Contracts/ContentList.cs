using System.Collections;

namespace Faster;

/// <summary>
/// A list that a public record holds: equal to another one of equal items, and with its items as its text, so that the
/// record's own equality and text go by content.
/// </summary>
/// <remarks>Immutable, if nobody changes what it was made from; thread-safe then.</remarks>
internal sealed class ContentList<T>(IReadOnlyList<T> items) : IReadOnlyList<T>, IEquatable<ContentList<T>>
{
    /// <summary>No item.</summary>
    public static readonly ContentList<T> Empty = new([]);

    /// <inheritdoc/>
    public int Count => items.Count;

    /// <inheritdoc/>
    public T this[int index] => items[index];

    /// <inheritdoc/>
    public IEnumerator<T> GetEnumerator() => items.GetEnumerator();

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <inheritdoc/>
    public bool Equals(ContentList<T>? other) => other is not null && items.SequenceEqual(other);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ContentList<T>);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        var hash = new HashCode();
        foreach (T item in items) hash.Add(item);
        return hash.ToHashCode();
    }

    /// <summary>The items; of an exception its message, for a stack makes no part of a line.</summary>
    public override string ToString() =>
        $"[{string.Join(", ", items.Select(static item => item is Exception error ? error.Message : $"{item}"))}]";

    /// <summary>The list itself if it is one of this kind, or one around it.</summary>
    public static ContentList<T> Of(IReadOnlyList<T> items) => items as ContentList<T> ?? new(items);
}
