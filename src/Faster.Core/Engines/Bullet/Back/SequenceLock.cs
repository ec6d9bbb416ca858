using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// A lock that readers need not take: they see that it was taken meanwhile, and read again. Held for as long as it
/// takes to store the words of a batch.
/// </summary>
/// <remarks>
/// <para>The word is odd while the lock is held, and rises by one when it is taken and when it is released. Taking it
/// is a full barrier before the holder's stores. So a reader that has seen the word even, has read something that was
/// stored later, and has passed a read barrier, sees another word.</para>
/// <para>Thread-safe. A thread that waits for it spins.</para>
/// </remarks>
internal sealed class SequenceLock
{
    private long _word;

    /// <summary>The word, for <see cref="IsUnchanged"/>; what the caller reads next is read later.</summary>
    public long Read()
    {
        Probe.Point(ProbePoint.BackRead);
        return Volatile.Read(ref _word);
    }

    /// <summary>Whether a word that was read says that a thread holds the lock.</summary>
    public static bool IsHeld(long seen) => (seen & 1) != 0;

    /// <summary>Whether what the caller has read since a word was seen is one state.</summary>
    public bool IsUnchanged(long seen)
    {
        Volatile.ReadBarrier();
        Probe.Point(ProbePoint.BackRead);
        return Volatile.Read(ref _word) == seen;
    }

    /// <summary>Takes the lock.</summary>
    /// <returns>The word while it is held.</returns>
    public long Enter()
    {
        var spin = new SpinWait();
        while (true)
        {
            long seen = Read();
            if (!IsHeld(seen) && Interlocked.CompareExchange(ref _word, seen + 1, seen) == seen) return seen + 1;
            Wait(ref spin);
        }
    }

    /// <summary>Releases the lock.</summary>
    public void Exit() => Volatile.Write(ref _word, _word + 1);

    /// <summary>Lets the holder go on.</summary>
    public static void Wait(ref SpinWait spin)
    {
        if (!(Probe.On && Probe.Wait(null))) spin.SpinOnce();
    }
}
