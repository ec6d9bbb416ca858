using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Devices;
using Faster.Engines;

namespace Faster.Crash.Ledgers;

/// <summary>Consecutive keys with themselves as their values: puts them, exports them, imports them.</summary>
public static class LedgerRecords
{
    /// <summary>The bytes of an export of some keys, in their order.</summary>
    public static async Task<byte[]> ExportAsync(long firstKey, int count)
    {
        var options = new StoreOptions
        {
            MemoryBudget = StoreOptions.MinMemoryBudget, PageSize = ByteSize.KiB(4), Device = new MemoryDevice(),
        };
        FasterStore store = await FasterStore
            .OpenAsync(null, options, NumberOperations.Schema, default).ConfigureAwait(false);
        await using (store.ConfigureAwait(false))
        {
            Put(store, firstKey, firstKey + count - 1);
            using var bytes = new MemoryStream();
            _ = await store.Analytics.ExportAsync(bytes, new ScanOptions { Scope = ScanScope.All })
                .ConfigureAwait(false);
            return bytes.ToArray();
        }
    }

    /// <summary>Imports an export.</summary>
    public static Task<long> ImportAsync(FasterStore store, Stream bytes)
    {
        ArgumentNullException.ThrowIfNull(store);
        return store.Analytics.ImportAsync<NumberOperations.Put>(bytes);
    }

    /// <summary>Puts keys in a session of their own.</summary>
    public static void Put(FasterStore store, long first, long last)
    {
        ArgumentNullException.ThrowIfNull(store);
        using FasterSession session = store.StartSession();
        for (long key = first; key <= last; key++)
        {
            var put = new NumberOperations.Put(key);
            _ = session.Upsert(new UnmanagedKey<long>(key), ref put);
        }
    }
}
