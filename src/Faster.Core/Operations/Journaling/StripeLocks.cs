using Faster.Invariants;
using Faster.Log.Records;
using Faster.Memory;
using Faster.Probes;

namespace Faster.Operations.Journaling;

/// <summary>
/// A lock and a counter for each stripe of hashes: what orders the journaled changes of a key, in memory and in the
/// operation logs alike.
/// </summary>
/// <remarks>
/// <para>A change is published in a log and then installed in memory, both under its stripe's lock, and its record has
/// the next number of the stripe. So of two changes of one key, the one with the higher number is the later one in
/// memory, too, and its value was made from the other's.</para>
/// <para>The stripe is the tag of the hash: keys that share an entry of the index share a stripe, so that no journaled
/// change of another key takes the entry from under a record that is published and not linked yet.</para>
/// <para>A lock is tried, and never waited for inside an epoch: a thread that finds it taken leaves its epoch and tries
/// again. It is held for one attempt. Thread-safe; <see cref="Next"/>, <see cref="SetTicket"/> and
/// <see cref="Unlock"/> are the holder's.</para>
/// </remarks>
internal sealed unsafe class StripeLocks : IDisposable
{
    private const int Count = 1 << HashBits.TagBits;
    private const long Locked = 1, One = 2; // of a word: the lock, and the number above it

    private readonly NativeBlock _words = new(2 * Count * sizeof(long)); // words, then tickets, which few stores touch

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

    /// <summary>The last ticket of a stripe, where reads wait for it.</summary>
    public long TicketOf(int stripe) => Volatile.Read(ref *(WordOf(stripe) + Count));

    /// <summary>Sets a stripe's ticket.</summary>
    public void SetTicket(int stripe, long ticket) => Volatile.Write(ref *(WordOf(stripe) + Count), ticket);

    /// <summary>Releases a stripe's lock.</summary>
    public void Unlock(int stripe)
    {
        Probe.Point(ProbePoint.StripeLock);
        Volatile.Write(ref *WordOf(stripe), *WordOf(stripe) & ~Locked);
    }

    /// <inheritdoc/>
    public void Dispose() => _words.Dispose();

    private long* WordOf(int stripe) => (long*)_words.Pointer + stripe;
}
