using Faster.Contracts;
using Faster.Operations.Large;

namespace Faster.Operations.Merging;

/// <summary>
/// The base of a key's deltas where these lie in one tier and the whole value in the tier below
/// (docs/internals/tiered-merging.md). There all records are whole.
/// </summary>
/// <remarks>No state; runs on the calling session's thread, in its epoch.</remarks>
internal static class BaseBelow
{
    /// <summary>
    /// Whether the deltas of a chain that was read from disk end without a whole value or tombstone in their own tier,
    /// or with a value that has moved to the tier below.
    /// </summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="disk">What has been read from disk for the operation.</param>
    public static bool IsOf(Attempt attempt, ChainReadResult disk)
    {
        if (attempt.Below is null) return false;
        if (disk.End == 0) return true;
        return disk is { Found: true, IsLarge: true }
            && LargeValues.Find(attempt, disk, disk.Address, disk.Value, out _) == Outcome.Below;
    }

    /// <summary>Adds the base, if there is one, to the deltas that the attempt has collected.</summary>
    /// <param name="attempt">The attempt, which has collected all deltas of its own tier.</param>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="disk">What has been read for the operation, or null.</param>
    /// <param name="mayLag">Seeded bug: a base that deltas have been merged with since will do.</param>
    /// <param name="found">Where the tier below has the key's record or tombstone.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: the deltas are complete, with a base or without; or what the attempt lacks.
    /// </returns>
    public static Outcome Add<TKey, TOperation>(
        Attempt attempt, scoped TKey key, ulong hash, ChainReadResult? disk, bool mayLag,
        out RecordBelow found)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IMergeOperation
    {
        Outcome searched = SearchBelow.Find<TKey, TOperation>(attempt, key, hash, disk, mayLag, out found);
        return searched == Outcome.Ok ? Add(attempt, disk, found) : Complete(searched);
    }

    /// <summary>Adds a base that has been found, if it is alive.</summary>
    /// <inheritdoc cref="Add{TKey, TOperation}"/>
    public static Outcome Add(Attempt attempt, ChainReadResult? disk, scoped in RecordBelow found)
    {
        Outcome life = attempt.Clock.Judge(found.Expiry);
        if (life != Outcome.Ok) return Complete(life);
        Outcome whole = LargeValues.FindBelow(attempt, disk, found, out ReadOnlySpan<byte> value);
        if (whole != Outcome.Ok) return Complete(whole);
        attempt.Deltas.Add(value);
        attempt.Deltas.EndWithWhole(found.Expiry);
        return Outcome.Ok;
    }

    private static Outcome Complete(Outcome outcome) => outcome == Outcome.NotFound ? Outcome.Ok : outcome;
}
