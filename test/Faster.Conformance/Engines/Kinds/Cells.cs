using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Latched;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>Longs whose updates have an output. Reads and writes are the generator's own.</summary>
[Store(Also = [typeof(TieredEngine), typeof(HotRingEngine), typeof(TransactionalEngine), typeof(LatchedEngine)])]
public static partial class Cells
{
    [InitialUpdater]
    private static void Start(long key, CellInput input, ref long value, out long output)
    {
        Interleaving.Point();
        value = input.Start(out output);
    }

    [InPlaceUpdater]
    private static void Update(long key, CellInput input, ref long value, out long output)
    {
        long old = value;
        Interleaving.Point();
        value = input.Update(old, out output);
    }

    [CopyUpdater]
    private static void Copy(long key, CellInput input, long old, ref long value, out long output)
    {
        Interleaving.Point();
        value = input.Update(old, out output);
    }

    [CompletionCallback]
    private static void Done(PendingTicket<long>? context, Status status, long output, Exception? error) =>
        context?.Tell(status, output, error);
}
