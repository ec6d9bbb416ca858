using Faster.Conformance.Contract;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Longs that are added to, and merged from deltas.</summary>
[Store(Also = [typeof(TieredEngine)])]
public static partial class MergedCounters
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

    [Merger]
    private static void Merge(long key, long older, ref long newer)
    {
        Interleaving.Point();
        newer += older;
    }

    [CompletionCallback]
    private static void Done(PendingTicket<long>? context, Status status, long output, Exception? error) =>
        context?.Tell(status, output, error);
}
