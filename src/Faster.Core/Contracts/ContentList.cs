using System.Collections;

namespace Faster;

/// <summary>
/// A list held by a public record. It compares by its items and prints them, so that the equality and the text of the
/// record go by content too.
/// </summary>
/// <remarks>Immutable and thread-safe as long as the list that it wraps is not changed.</remarks>
internal sealed class ContentList<T>(IReadOnlyList<T> items) : IReadOnlyList<T>, IEquatable<ContentList<T>>
{
    /// <summary>The empty list.</summary>
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

    /// <summary>
    /// The items on one line; an exception is represented by its message, because its stack trace spans lines.
    /// </summary>
    public override string ToString() =>
        $"[{string.Join(", ", items.Select(static item => item is Exception error ? error.Message : $"{item}"))}]";

    /// <summary>Returns the list itself if it is a <see cref="ContentList{T}"/>, else a wrapper around it.</summary>
    public static ContentList<T> Of(IReadOnlyList<T> items) => items as ContentList<T> ?? new(items);
}
