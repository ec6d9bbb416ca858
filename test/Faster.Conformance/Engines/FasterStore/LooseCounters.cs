using Faster.Conformance.Histories;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>Longs that are added to without the store's latch: the user's own atomics keep them right.</summary>
[Store(Concurrency = StoreConcurrency.User)]
public static partial class LooseCounters
{
    /// <summary>
    /// An input with this bit is added in two steps, which such a function must not do: what others add in between is
    /// lost.
    /// </summary>
    public const long InTwoSteps = 1L << 62;

    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input & ~InTwoSteps;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value)
    {
        Interleaving.Point(); // the record may have left the mutable region by now, and must not be copied yet
        if ((input & InTwoSteps) == 0)
        {
            Interlocked.Add(ref value, input);
            return;
        }

        long old = Volatile.Read(ref value);
        Thread.Yield();
        Volatile.Write(ref value, old + (input & ~InTwoSteps));
    }

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + (input & ~InTwoSteps);
}
