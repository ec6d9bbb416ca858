using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Tables;

/// <summary>
/// The locks of keys that have no record: a word for each range of hashes. While a thread holds a key's word, no other
/// one links a record of the key; to link one takes the exclusive lock.
/// </summary>
/// <remarks>
/// Keys of one range share a word, so a lock may be refused for another key's sake. Words are in the order of the
/// hashes. Thread-safe, except for <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class AbsentKeyLocks : IDisposable
{
    private const int MinBits = 6, MaxBits = 20, BytesOfBudget = 1024; // of the budget for each word

    private readonly ulong* _words;
    private readonly long _count;
    private readonly int _shift;

    /// <summary>Allocates the words of a store.</summary>
    /// <param name="budget">The store's memory budget in bytes.</param>
    public AbsentKeyLocks(long budget)
    {
        int bits = BitsFor(budget);
        _count = 1L << bits;
        _words = (ulong*)NativeMemory.AllocZeroed(1U << bits, LockWord.Size);
        _shift = 64 - bits;
    }

    /// <summary>The size in bytes of the words of a store with a budget.</summary>
    public static long BytesFor(long budget) => (long)LockWord.Size << BitsFor(budget);

    /// <summary>The word of a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* WordOf(ulong hash) => _words + (hash >> _shift);

    /// <summary>Gives all words a stamp that no one has locked; a word that is locked is waited for.</summary>
    public void Stamp(ulong stamp)
    {
        for (ulong* word = _words, end = _words + _count; word < end; word++)
        {
            while (!LockWord.TryRestamp(word, stamp)) Thread.Yield();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => NativeMemory.Free(_words);

    private static int BitsFor(long budget) =>
        Math.Clamp(BitOperations.Log2((ulong)Math.Max(budget / BytesOfBudget, 1)), MinBits, MaxBits);
}
