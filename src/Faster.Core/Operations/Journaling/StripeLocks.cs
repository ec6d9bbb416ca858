using Faster.Invariants;
using Faster.Log.Records;
using Faster.Memory;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Operations.Journaling;

/// <summary>
/// A lock, a counter and a place for each stripe of hashes: what orders the journaled changes of a key, in memory and
/// in the operation logs alike.
/// </summary>
/// <remarks>
/// <para>A change is published in a log and then installed in memory, both under its stripe's lock, and its record has
/// the next number of the stripe. So of two changes of one key, the one with the higher number is the later one in
/// memory, too, and its value was made from the other's.</para>
/// <para>The place is where the stripe's last record ends. The next one goes to the same log unless that is durable: so
/// after a crash a change is never found without the one that it was made from, whose operation would be taken for
/// lost and done twice.</para>
/// <para>The stripe is the tag of the hash: keys that share an entry of the index share a stripe, so that no journaled
/// change of another key takes the entry from under a record that is published and not linked yet.</para>
/// <para>A lock is tried, and never waited for inside an epoch: a thread that finds it taken leaves its epoch and tries
/// again. It is held for one attempt. Thread-safe; <see cref="Next"/>, <see cref="SetPlace"/> and
/// <see cref="Unlock"/> are the holder's.</para>
/// </remarks>
internal sealed unsafe class StripeLocks : IDisposable
{
    private const int Count = 1 << HashBits.TagBits;
    private const long Locked = 1, One = 2; // of a word: the lock, and the number above it

    private readonly NativeBlock _words = new(2 * Count * sizeof(long)); // of each a word and a place

    /// <summary>The stripe of a hash.</summary>
    public static int Of(ulong hash) => (int)HashBits.TagOf(hash);

    /// <summary>Makes all numbers begin above one. Called before any thread takes a lock.</summary>
    public void BeginAbove(long counter)
    {
        for (int stripe = 0; stripe < Count; stripe++) *WordOf(stripe) = counter * One;
    }

    /// <summary>Takes a stripe's lock, unless another thread has it.</summary>
    public bool TryLock(int stripe)
    {
        Probe.Point(ProbePoint.StripeLock);
        long* word = WordOf(stripe);
        long seen = Volatile.Read(ref *word);
        if ((seen & Locked) != 0) return Probe.On && Probe.Has(SeededBug.StripeNotLocked);
        return Interlocked.CompareExchange(ref *word, seen | Locked, seen) == seen;
    }

    /// <summary>The next number of a stripe.</summary>
    public long Next(int stripe)
    {
        long* word = WordOf(stripe);
        Invariant.Check((*word & Locked) != 0, $"the number of stripe {stripe} is raised by the holder of its lock");
        return (*word += One) / One;
    }

    /// <summary>Where the stripe's last record ends.</summary>
    public LogPlace PlaceOf(int stripe) => new(Volatile.Read(ref *(WordOf(stripe) + 1)));

    /// <summary>Sets where the stripe's last record ends.</summary>
    public void SetPlace(int stripe, LogPlace place) => Volatile.Write(ref *(WordOf(stripe) + 1), place.Word);

    /// <summary>Releases a stripe's lock.</summary>
    public void Unlock(int stripe)
    {
        Probe.Point(ProbePoint.StripeLock);
        Volatile.Write(ref *WordOf(stripe), *WordOf(stripe) & ~Locked);
    }

    /// <inheritdoc/>
    public void Dispose() => _words.Dispose();

    private long* WordOf(int stripe) => (long*)_words.Pointer + (2 * stripe);
}
