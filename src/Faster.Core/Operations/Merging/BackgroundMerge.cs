using Faster.Contracts;

namespace Faster.Operations.Merging;

/// <summary>Merges deltas where no user operation does, with the merger of the store's schema.</summary>
/// <remarks>Thread-safe, as the user's merger is; runs outside every latch.</remarks>
internal static class BackgroundMerge
{
    /// <summary>Merges two values, deltas or whole.</summary>
    /// <param name="schema">The store's record layout, which has a merger.</param>
    /// <param name="key">The key's bytes.</param>
    /// <param name="older">The older value.</param>
    /// <param name="newer">The newer value.</param>
    /// <param name="merged">Receives the merged value; empty before.</param>
    /// <exception cref="FasterException">The merger threw, or wrote a value of the wrong size.</exception>
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
            throw new FasterException(
                ErrorReason.UserFunction,
                $"The [Merger] threw while the store merged deltas in the background: {e.Message} It must merge "
                + "whatever the updaters make; nothing has been changed.", e);
        }

        int length = merged.Written.Length;
        if (schema.ValueSize != 0 && length != schema.ValueSize)
            throw DeltaValues.WrongSize(length, schema.ValueSize);
    }
}
