using Faster.Contracts;

namespace Faster;

/// <summary>
/// Merges partial values where no operation of the user's does, by the merger that the store's schema has.
/// </summary>
/// <remarks>Thread-safe, as the user's merger is; runs outside every latch.</remarks>
internal static class BackgroundMerge
{
    /// <summary>Merges two partial values.</summary>
    /// <param name="schema">The store's records; has a merger.</param>
    /// <param name="key">The key's bytes.</param>
    /// <param name="older">The value that was begun first.</param>
    /// <param name="newer">The other one.</param>
    /// <param name="merged">Where the value goes; empty.</param>
    /// <exception cref="UserFunctionException">The merger threw, or wrote a value of the wrong size.</exception>
    public static void Run(
        in RecordSchema schema, ReadOnlySpan<byte> key, ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer,
        ValueBuffer merged)
    {
        try
        {
            schema.Merger!(key, older, newer, merged);
        }
        catch (Exception e) when (e is not FasterException)
        {
            throw new UserFunctionException(
                $"The [Merger] threw while the store merged partial values by itself: {e.Message} It must merge "
                + "whatever the updaters make; nothing has been changed.", e);
        }

        int length = merged.Written.Length;
        if (schema.ValueSize != 0 && length != schema.ValueSize)
            throw PartialValues.WrongSize(length, schema.ValueSize);
    }
}
