using Faster.Index.Entries;

namespace Faster.Tests.Compaction.Batches;

/// <summary>Entries in memory, in the order of their hashes.</summary>
internal sealed class HashOrder : IEntrySweep
{
    public long PlaceOf(ulong hash) => (long)hash;

    public void Run(ReadOnlySpan<long> places, Action<int, int> change) => change(0, places.Length);

    public void Dispose()
    {
    }
}
