using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Expiry;
using Faster.Operations.Large;

namespace Faster.Operations;

/// <summary>
/// How a read-modify-write makes its new value from an old one that stays where it is: the user's copy updater, or the
/// initial updater where there is no old value (paper 000 App. G, Algorithm 4).
/// </summary>
/// <remarks>
/// The new value is made in the attempt's buffer. No state; runs on the calling session's thread, in its epoch.
/// </remarks>
internal static class CopyUpdate
{
    /// <summary>Makes the new value from an old one that is alive, otherwise from none.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="keySlot">The size of the key's slot.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="life">Whether the old value is alive (<see cref="SessionClock.Judge"/>).</param>
    /// <param name="old">The old value.</param>
    /// <param name="gathered">The array that holds it, if it was gathered.</param>
    /// <returns>As <see cref="Run"/>; <see cref="Outcome.Expired"/>, with nothing made.</returns>
    public static Outcome From<TOperation>(
        Attempt attempt, int keySlot, ref TOperation operation, Outcome life, ReadOnlySpan<byte> old,
        byte[]? gathered = null)
        where TOperation : struct, IRmwOperation
    {
        if (life == Outcome.Expired) return life;
        return Run(attempt, keySlot, ref operation, life == Outcome.Ok, old, gathered);
    }

    /// <summary>Makes the new value from one in fragments, if these have been gathered.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <param name="keySlot">The size of the key's slot.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="disk">What has been read from disk for the operation, or null.</param>
    /// <param name="address">The address of the old record.</param>
    /// <param name="head">The head that its value slot holds.</param>
    /// <param name="result">What is determined besides the value.</param>
    /// <returns>
    /// As <see cref="Run"/>; <see cref="Outcome.Large"/> or <see cref="Outcome.Below"/>, with nothing made.
    /// </returns>
    public static Outcome FromLarge<TOperation>(
        Attempt attempt, int keySlot, ref TOperation operation, ChainReadResult? disk, long address,
        ReadOnlySpan<byte> head, ref UpdateDetails result)
        where TOperation : struct, IRmwOperation
    {
        Outcome found = LargeValues.Find(attempt, disk, address, head, out ReadOnlySpan<byte> old);
        if (found == Outcome.Large) return found;
        if (found != Outcome.Ok) result.Forget();
        if (found == Outcome.Below) return found;
        return Run(attempt, keySlot, ref operation, found == Outcome.Ok, old, disk?.Gathered);
    }

    /// <summary>
    /// Runs the updater, unless the attempt has brought the value that was made from the same old value.
    /// </summary>
    /// <param name="attempt">The attempt; gets a new value that does not fit a page.</param>
    /// <param name="keySlot">The size of the key's slot.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="exists">Whether there is an old value.</param>
    /// <param name="old">The old value.</param>
    /// <param name="gathered">The array that holds the old value, if it was gathered.</param>
    /// <returns><see cref="Outcome.Ok"/>, or <see cref="Outcome.Created"/> without an old value.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Outcome Run<TOperation>(
        Attempt attempt, int keySlot, ref TOperation operation, bool exists, ReadOnlySpan<byte> old,
        byte[]? gathered = null)
        where TOperation : struct, IRmwOperation
    {
        ValueBuffer buffer = attempt.Buffer;
        Outcome made = exists ? Outcome.Ok : Outcome.Created;
        if (TOperation.ValueSize == 0 && attempt.Large.Prepared is { } prepared)
        {
            if (prepared.IsMadeFrom(exists, old)) return made;
            attempt.Large.Drop();
        }

        if (exists) operation.CopyUpdate(old, buffer);
        else operation.InitialUpdate(buffer);
        if (TOperation.ValueSize != 0 || !LargeValues.IsOversized(attempt, keySlot, buffer.Written.Length)) return made;
        byte[]? basis = exists ? gathered ?? old.ToArray() : null;
        attempt.Large.Prepared = new LargeWrite(buffer.Detach(), basis);
        return made;
    }
}
