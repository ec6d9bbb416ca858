using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Latched;
using Faster.Conformance.Histories;
using Faster.Tests.Engines.Example;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Longs that are added to. Reads and writes are the generator's own.</summary>
[Store(Also =
[
    typeof(TieredEngine), typeof(HotRingEngine), typeof(TransactionalEngine), typeof(LatchedEngine),
    typeof(ExampleEngine),
])]
public static partial class Counters
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value)
    {
        Interleaving.Point();
        value = input;
    }

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value)
    {
        long old = value;
        Interleaving.Point();
        value = old + input;
    }

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value)
    {
        Interleaving.Point();
        value = old + input;
    }

    [CompletionCallback]
    private static void Done(PendingTicket<long>? context, Status status, long output, Exception? error) =>
        context?.Tell(status, output, error);
}
