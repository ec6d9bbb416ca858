using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Tests.Conformance;

/// <summary>Longs that are added to. Reads and writes are the generator's own.</summary>
[Store(Engine = typeof(TieredEngineWithBugs))]
internal static partial class SumsWithBugs
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
