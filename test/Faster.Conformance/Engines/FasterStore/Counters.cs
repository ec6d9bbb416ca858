using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>Longs that are added to.</summary>
[Store]
public static partial class Counters
{
    [InitialUpdater]
    private static void Start(long key, long input, ref long value) => value = input;

    [InPlaceUpdater]
    private static void Add(long key, long input, ref long value) => value += input;

    [CopyUpdater]
    private static void Copy(long key, long input, long old, ref long value) => value = old + input;

    [CompletionCallback]
    private static void Done(PendingTicket<long>? context, Status status, long output, Exception? error) =>
        context?.Tell(status, output, error);
}
