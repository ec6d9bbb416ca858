using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Analytics;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;
using Xunit.Abstractions;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Exports, mutated, with the checksums of head and blocks right again: each is imported as its bytes say, or refused,
/// and the store works afterwards.
/// </summary>
public sealed class ExportFuzzTests(ITestOutputHelper output)
{
    private const int Inputs = 1_000, InputsOfAStore = 500;

    [Fact]
    public Task Of_fixed_size() => RunAsync<CounterOperations.Upsert>(
        () => AnalyticsStores.InMemoryAsync(),
        static session =>
        {
            for (long key = 0; key < 6; key++) session.Put(key, key * 3);
            session.TimeToLive = TimeSpan.FromHours(1);
            for (long key = 6; key < 10; key++) session.Put(key, key * 3);
            _ = session.Remove(2);
        });

    [Fact]
    public Task Of_any_size() => RunAsync<AnyLength>(
        AnalyticsStores.BytesInMemoryAsync,
        static session =>
        {
            for (int key = 0; key < 6; key++) session.PutBytes(key, LargeStore.Value(key * 9, key));
            session.TimeToLive = TimeSpan.FromHours(1);
            session.PutBytes(7, LargeStore.Value(200, 7));
            session.PutBytes(new byte[100], LargeStore.Value(9, 8));
        });

    private async Task RunAsync<TLayout>(
        Func<ValueTask<FasterStore>> openAsync, Action<FasterSession> fill)
        where TLayout : struct, IValueLayout
    {
        byte[] good = await ExportAsync(openAsync, fill);
        FasterStore store = await openAsync();
        int inputs = 0;
        await Fuzz.RunAsync(
            Inputs, output,
            async random =>
            {
                if (inputs++ > 0 && inputs % InputsOfAStore == 1)
                {
                    await UseAsync(store);
                    await store.DisposeAsync();
                    store = await openAsync();
                }

                byte[] bytes = NewChecksums.Export(Mutator.Mutate(good, random));
                _ = await store.Analytics.ImportAsync<TLayout>(new MemoryStream(bytes));
            },
            static error => error is DamagedDataException or LimitExceededException);
        await UseAsync(store);
        Assert.Empty(store.Statistics.FaultCounts);
        await store.DisposeAsync();
    }

    // All that has been imported can be read, and exported.
    private static async Task UseAsync(FasterStore store)
    {
        long bytes = 0;
        await foreach (long size in store.Analytics.ScanAsync(
            null, static record => record.Key.Length + (record.IsTombstone ? 0 : record.Value.Length))) bytes += size;
        Assert.True(bytes > 0, "Nothing has been imported.");
        Assert.True(await store.Analytics.ExportAsync(Stream.Null) > 0);
    }

    private static async Task<byte[]> ExportAsync(Func<ValueTask<FasterStore>> openAsync, Action<FasterSession> fill)
    {
        await using FasterStore store = await openAsync();
        await using FasterSession session = store.StartSession();
        fill(session);
        var bytes = new MemoryStream();
        _ = await store.Analytics.ExportAsync(bytes);
        return bytes.ToArray();
    }

    private readonly struct AnyLength : IValueLayout
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;
    }
}
