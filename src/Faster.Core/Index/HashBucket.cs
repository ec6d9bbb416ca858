using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Faster.Index;

/// <summary>A bucket of the index, one cache line: seven entries and an overflow word (paper 000, Fig. 2).</summary>
/// <remarks>
/// <para>The overflow word holds the native pointer to the chain's next bucket in bits 0–47 (0 ends the chain); bits
/// 48–61 are reserved for the shared/exclusive latch of paper 004 §5.3; bit 62 of an overflow bucket says that it is
/// closed, bit 63 of a chain's first bucket that the chain shares tags. Code that links a bucket preserves bits 48–63.
/// </para>
/// <para>Thread-safety: lives in native memory; every word is read and written atomically, and only by compare-and-swap
/// where more than one thread may write.</para>
/// </remarks>
[StructLayout(LayoutKind.Sequential, Size = SizeInBytes)]
internal unsafe struct HashBucket
{
    /// <summary>The size and alignment of a bucket in bytes.</summary>
    public const int SizeInBytes = 64;

    /// <summary>The number of entries of a bucket.</summary>
    public const int EntryCount = 7;

    /// <summary>The bits of the overflow word that point to the next bucket.</summary>
    public const ulong OverflowPointerMask = (1UL << 48) - 1;

    /// <summary>The bits of the overflow word that are reserved for the bucket's latch.</summary>
    public const ulong OverflowLatchMask = ~OverflowPointerMask & ~SharedTags & ~Closed;

    /// <summary>
    /// The bit of a first bucket's overflow word which says that the chain takes no further tags: other tags share the
    /// entries that it has (docs/internals/shared-tags.md).
    /// </summary>
    public const ulong SharedTags = 1UL << 63;

    /// <summary>
    /// The bit of an overflow bucket's overflow word which says that the bucket was closed: no bucket is linked to it
    /// any more, and its slots are <see cref="EntryWord.Closed"/> (docs/internals/chain-trimming.md).
    /// </summary>
    public const ulong Closed = 1UL << 62;

    /// <summary>The entries; see <see cref="EntryWord"/>.</summary>
    public fixed ulong Entries[EntryCount];

    /// <summary>Pointer to the next bucket, the latch's bits, and <see cref="SharedTags"/>.</summary>
    public ulong Overflow;

    /// <summary>The next bucket of the chain, or null; everything written before it was linked is visible.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HashBucket* Next(HashBucket* bucket) =>
        (HashBucket*)(Volatile.Read(ref bucket->Overflow) & OverflowPointerMask);

    /// <summary>Whether the chain that begins with a bucket takes no further tags.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool SharesTags(HashBucket* first) => (Volatile.Read(ref first->Overflow) & SharedTags) != 0;

    /// <summary>Whether an overflow bucket takes no entry and no further bucket any more.</summary>
    public static bool IsClosed(HashBucket* bucket) => (Volatile.Read(ref bucket->Overflow) & Closed) != 0;

    /// <summary>
    /// The slots whose bits under <paramref name="mask"/> equal <paramref name="pattern"/>, one bit each, without a
    /// branch. A hint: slots change, and an empty slot matches a pattern of 0, so each must be read again.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Match(HashBucket* bucket, ulong pattern, ulong mask)
    {
        if (Vector512.IsHardwareAccelerated)
        {
            Vector512<ulong> matching = Vector512.Equals(
                Vector512.Load((ulong*)bucket) & Vector512.Create(mask), Vector512.Create(pattern));
            return (uint)matching.ExtractMostSignificantBits() & AllSlots;
        }

        Vector256<ulong> wanted = Vector256.Create(pattern), kept = Vector256.Create(mask);
        Vector256<ulong> low = Vector256.Equals(Vector256.Load((ulong*)bucket) & kept, wanted);
        Vector256<ulong> high = Vector256.Equals(Vector256.Load((ulong*)bucket + 4) & kept, wanted);
        return (low.ExtractMostSignificantBits() | (high.ExtractMostSignificantBits() << 4)) & AllSlots;
    }

    /// <summary>
    /// The slots whose bits above the address are <paramref name="tag"/> and nothing else: final entries that do not
    /// lead to the read cache. A hint, as <see cref="Match"/> is.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint MatchFinal(HashBucket* bucket, ulong tag)
    {
        if (!Vector512.IsHardwareAccelerated) return Match(bucket, tag << EntryWord.TagShift, ~EntryWord.AddressMask);
        // What the overflow word is compared with, no tag equals.
        Vector512<ulong> wanted = Vector512.Create(tag) | Vector512.Create(0, 0, 0, 0, 0, 0, 0, ulong.MaxValue);
        Vector512<ulong> tags = Vector512.ShiftRightLogical(Vector512.Load((ulong*)bucket), EntryWord.TagShift);
        return (uint)Vector512.Equals(tags, wanted).ExtractMostSignificantBits();
    }

    /// <summary>
    /// The entries, and in the place of the overflow word one that no entry equals. Each is read as a whole, because it
    /// lies at a multiple of 8.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> EntriesOf(HashBucket* bucket) =>
        Vector512.Load((ulong*)bucket) | Vector512.Create(0, 0, 0, 0, 0, 0, 0, ulong.MaxValue);

    /// <summary>The first slot of a result of <see cref="Match"/>, which must not be 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* FirstSlot(HashBucket* bucket, uint match) =>
        (ulong*)bucket + BitOperations.TrailingZeroCount(match);

    /// <summary>A chain's first entry with a tag, tentative or not; null when there is none.</summary>
    /// <param name="bucket">The chain's first bucket; null for no chain.</param>
    /// <param name="tag">The tag, in its position in the word.</param>
    public static ulong* FindTag(HashBucket* bucket, ulong tag)
    {
        for (; bucket != null; bucket = Next(bucket))
        {
            for (int i = 0; i < EntryCount; i++)
            {
                ulong word = Volatile.Read(ref bucket->Entries[i]);
                if (word != 0 && (word & EntryWord.TagMask) == tag) return &bucket->Entries[i];
            }
        }

        return null;
    }

    private const uint AllSlots = (1 << EntryCount) - 1;
}
