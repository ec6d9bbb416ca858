using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Analytics.Scans;

/// <summary>Values larger than a page in scans of live records.</summary>
public sealed class LargeScanTests
{
    private const int Page = LargeStore.Page;

    [Theory]
    [InlineData(ScanScope.Live)]
    [InlineData(ScanScope.All)]
    public Task A_scan_ends_with_an_error_when_the_store_is_closed_between_two_values(ScanScope scope) =>
        Guard.RunAsync(async () =>
        {
            FasterStore store = await LargeStore.OpenAsync();
            using (FasterSession session = store.StartSession())
                for (int key = 0; key < 8; key++) session.PutBytes(key, LargeStore.Value(Page + 100, key));
            IAsyncEnumerator<int> scan = store.Analytics.ScanAsync(
                new ScanOptions { Scope = scope }, static record => record.Value.Length).GetAsyncEnumerator();
            Assert.True(await scan.MoveNextAsync());
            Assert.Equal(Page + 100, scan.Current);
            await store.DisposeAsync();
            await Assert.ThrowsAsync<ObjectDisposedException>(async () =>
            {
                while (await scan.MoveNextAsync()) { }
            });
            await scan.DisposeAsync();
        });

    [Fact]
    public Task Of_a_value_that_was_replaced_nothing_is_read() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await LargeStore.OpenAsync();
        using FasterSession session = store.StartSession();
        session.PutBytes(1, LargeStore.Value(64 << 10, 1));
        session.PutBytes(1, [5]);
        long before = GC.GetAllocatedBytesForCurrentThread(), most = 0;
        await foreach (int length in store.Analytics.ScanAsync(null, static record => record.Value.Length))
        {
            Assert.Equal(1, length);
            most++;
        }

        Assert.Equal(1, most);
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 64 << 10);
    });
}
