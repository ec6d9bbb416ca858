using Faster.Analytics;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.LogSessions;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics;

/// <summary>Small stores, and what tests of analytics do with them.</summary>
internal static class AnalyticsStores
{
    public static StoreOptions Options { get; } = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), ExpectedKeys = 1_000,
        CommitOnDispose = false,
    };

    /// <summary>A store of long → long without a folder, on a memory device.</summary>
    public static ValueTask<FasterStore> InMemoryAsync(RecordSchema? schema = null) =>
        FasterStore.OpenAsync(
            null, Options with { Device = new MemoryDevice() }, schema ?? CounterOperations.Schema, default);

    /// <summary>A store of bytes → bytes without a folder.</summary>
    public static ValueTask<FasterStore> BytesInMemoryAsync() => FasterStore.OpenAsync(
        null, Options with { Device = new MemoryDevice() }, BytesOperations.Schema, default);

    /// <summary>A store of long → long in a folder.</summary>
    public static ValueTask<FasterStore> InFolderAsync(string path) =>
        FasterStore.OpenAsync(path, Options, CounterOperations.Schema, default);

    public static (long Key, long? Value) Pair(RecordView record) => (
        BitConverter.ToInt64(record.Key), record.IsTombstone ? null : BitConverter.ToInt64(record.Value));

    /// <summary>What a scan gives, which must have each key once.</summary>
    public static async Task<SortedDictionary<long, long?>> LiveAsync(
        this FasterStore store, ScanOptions? options = null)
    {
        var live = new SortedDictionary<long, long?>();
        await foreach ((long key, long? value) in store.Analytics.ScanAsync(options, Pair)) live.Add(key, value);
        return live;
    }

    /// <summary>Random puts, additions and removals, by the seed, in store and model alike.</summary>
    public static void Churn(HashSession session, IDictionary<long, long?> model, int keys, int steps, int seed)
    {
        var random = new Random(seed);
        for (int i = 0; i < steps; i++)
        {
            long key = random.Next(keys);
            switch (random.Next(6))
            {
                case 0:
                    _ = session.Remove(key);
                    model.Remove(key);
                    break;
                case 1:
                    session.AddTo(key, i);
                    model[key] = (model.TryGetValue(key, out long? old) ? old : 0) + i;
                    break;
                default:
                    session.Put(key, i);
                    model[key] = i;
                    break;
            }
        }
    }

    /// <summary>Makes the log immutable up to its tail, and returns when it is immutable.</summary>
    public static Task<long> ShiftReadOnlyAsync(this FasterStore store) => store.Analytics.Source.ShiftReadOnlyAsync();

    /// <inheritdoc cref="ShiftReadOnlyAsync(FasterStore)"/>
    public static async Task<long> ShiftReadOnlyAsync(this LogSource source)
    {
        Faster.Log.PagedLog log = source.Log;
        long end = log.ShiftReadOnlyToTail();
        await log.Gate.WaitForAsync(() => log.SafeImmutableAddress >= end, default);
        return end;
    }
}
