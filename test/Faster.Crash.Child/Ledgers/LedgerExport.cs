using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Devices;

namespace Faster.Crash.Ledgers;

/// <summary>The bytes of an export of consecutive keys, each with itself as its value, in their order.</summary>
internal static class LedgerExport
{
    /// <summary>Makes them.</summary>
    public static async Task<byte[]> MakeAsync(long firstKey)
    {
        var options = new StoreOptions
        {
            MemoryBudget = StoreOptions.LeastMemoryBudget, PageSize = ByteSize.KiB(4), Device = new MemoryDevice(),
        };
        FasterStore<NoProbe> store = await FasterStore<NoProbe>
            .OpenAsync(null, options, NumberOperations.Schema, default).ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
        {
            using (FasterSession<NoProbe> session = store.StartSession())
            {
                for (long key = firstKey; key < firstKey + LedgerPlan.ImportedRecords; key++)
                {
                    var put = new NumberOperations.Put(key);
                    _ = session.Upsert(new UnmanagedKey<long>(key), ref put);
                }
            }

            using var bytes = new MemoryStream();
            _ = await store.Analytics.ExportAsync(bytes, new ScanOptions { Scope = ScanScope.All })
                .ConfigureAwait(false);
            return bytes.ToArray();
        }
    }
}
