using System.Runtime.CompilerServices;
using Faster.Probes;

namespace Faster.Tables;

/// <summary>
/// The word by which a record of a table is locked, or all absent keys of a range of hashes: free, shared by readers,
/// or exclusive (paper 004 §4).
/// </summary>
/// <remarks>
/// <para>Bit 63: exclusive; bit 62: gone, the record was taken out of its chain; bits 48–61: the number of readers;
/// bits 32–47: the stamp, the low bits of a version; bits 0–31: the sequence, which each exclusive release raises.
/// </para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What a word protects changes only while the word is exclusive, and has another sequence afterwards. So a
/// reader without the lock has seen one state if the word was neither exclusive nor gone before it began, and has the
/// same sequence after it has ended (<see cref="IsUnchanged"/>).</item>
/// <item>While the word is exclusive, only its holder writes it. Gone is for good.</item>
/// <item>The stamp of a word that is exclusive is changed by its holder alone.</item>
/// </list>
/// <para>No thread waits for a word: a lock that others hold is refused. Thread-safe.</para>
/// </remarks>
internal static unsafe class LockWord
{
    /// <summary>The size in bytes.</summary>
    public const int Size = sizeof(ulong);

    /// <summary>The word of a record that is not linked yet: its maker holds it.</summary>
    public const ulong Exclusive = 1UL << 63;

    private const int StampShift = 32;
    private const ulong Gone = 1UL << 62, OneReader = 1UL << 48, Sequence = (1UL << StampShift) - 1;
    private const ulong Readers = Gone - OneReader, StampBits = OneReader - 1 - Sequence;

    /// <summary>The versions after which a stamp repeats.</summary>
    public const long Stamps = 1 << 16;

    /// <summary>The stamp of a version.</summary>
    public static ulong StampOf(long version) => (ulong)version << StampShift & StampBits;

    /// <summary>Takes a lock.</summary>
    /// <param name="word">The word.</param>
    /// <param name="isExclusive">Whether for the caller alone, or beside other readers.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Locking TryTake(ulong* word, bool isExclusive)
    {
        ulong seen = Read(word);
        for (;;)
        {
            if ((seen & Gone) != 0) return Locking.Gone;
            bool isFree = isExclusive ? seen < OneReader : seen < Gone - OneReader;
            if (!isFree) return Locking.Refused;
            ulong taken = isExclusive ? seen | Exclusive : seen + OneReader;
            ulong found = Interlocked.CompareExchange(ref *word, taken, seen);
            if (found == seen) return Locking.Taken;
            seen = found; // another reader may have come or gone: that is no conflict
        }
    }

    /// <summary>
    /// Takes a lock by one step. False: others have it, or have just come or gone, or the record is gone. No branch
    /// depends on which lock it is.
    /// </summary>
    /// <inheritdoc cref="TryTake"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryTakeAtOnce(ulong* word, bool isExclusive)
    {
        ulong seen = Read(word), change = isExclusive ? Exclusive : OneReader;
        ulong limit = isExclusive ? OneReader : Gone - OneReader;
        return seen < limit && Interlocked.CompareExchange(ref *word, seen + change, seen) == seen;
    }

    /// <summary>Makes a shared lock of the caller's exclusive, if no other reader has it.</summary>
    public static bool TryUpgrade(ulong* word)
    {
        ulong seen = Read(word);
        return (seen & Readers) == OneReader
            && Interlocked.CompareExchange(ref *word, (seen - OneReader) | Exclusive, seen) == seen;
    }

    /// <summary>Releases a lock of the caller's; what it has written becomes visible first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Release(ulong* word, bool isExclusive)
    {
        Probe.Point(ProbePoint.LockWord);
        if (isExclusive) Volatile.Write(ref *word, Next(*word));
        else Interlocked.Add(ref *word, unchecked(0 - OneReader));
    }

    /// <summary>Says that the record, which the caller has locked exclusively, was taken out of its chain.</summary>
    public static void MarkGone(ulong* word)
    {
        Probe.Point(ProbePoint.LockWord);
        Volatile.Write(ref *word, Gone | Next(*word));
    }

    /// <summary>Whether a word has a stamp.</summary>
    public static bool HasStamp(ulong* word, ulong stamp) => HasStamp(Read(word), stamp);

    /// <inheritdoc cref="HasStamp(ulong*, ulong)"/>
    public static bool HasStamp(ulong seen, ulong stamp) => (seen & StampBits) == stamp;

    /// <summary>Gives a stamp to a word that the caller has locked.</summary>
    /// <returns>False: it had the stamp already.</returns>
    public static bool TryStamp(ulong* word, ulong stamp)
    {
        ulong seen = Read(word);
        for (;;)
        {
            if (HasStamp(seen, stamp)) return false;
            ulong found = Interlocked.CompareExchange(ref *word, WithStamp(seen, stamp), seen);
            if (found == seen) return true;
            seen = found; // another reader has come or gone, or has given a stamp
        }
    }

    /// <summary>
    /// Gives a stamp to a word that the caller has not locked. False: another one has it, or the record is gone.
    /// </summary>
    public static bool TryRestamp(ulong* word, ulong stamp)
    {
        if (TryTake(word, isExclusive: false) != Locking.Taken) return false;
        _ = TryStamp(word, stamp);
        Release(word, isExclusive: false);
        return true;
    }

    /// <summary>Gives a stamp to a word that has not changed since it was seen, <see cref="IsReadable"/>.</summary>
    public static bool TryStamp(ulong* word, ulong seen, ulong stamp)
    {
        Probe.Point(ProbePoint.LockWord);
        return Interlocked.CompareExchange(ref *word, WithStamp(seen, stamp), seen) == seen;
    }

    /// <summary>Reads a word; what the caller reads later is read later.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ulong* word)
    {
        Probe.Point(ProbePoint.LockWord);
        return Volatile.Read(ref *word);
    }

    /// <summary>Whether a word that was read says that the record was taken out of its chain.</summary>
    public static bool IsGone(ulong seen) => (seen & Gone) != 0;

    /// <summary>Whether a thread has a word for itself, for tests.</summary>
    public static bool IsExclusive(ulong* word) => (Volatile.Read(ref *word) & Exclusive) != 0;

    /// <summary>Whether a word that was read allows a reader to begin without a lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsReadable(ulong seen) => seen < Gone;

    /// <summary>
    /// Whether what was read since a word was seen is one state. The caller has called
    /// <see cref="Volatile.ReadBarrier"/> after its reads.
    /// </summary>
    /// <param name="word">The word.</param>
    /// <param name="seen">What it was, <see cref="IsReadable">readable</see>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsUnchanged(ulong* word, ulong seen) => ((Read(word) ^ seen) & ~Readers) == 0;

    private static ulong WithStamp(ulong word, ulong stamp) => (word & ~StampBits) | stamp;

    private static ulong Next(ulong word) => (word & StampBits) | ((word + 1) & Sequence);
}
