using System.Diagnostics.CodeAnalysis;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>A device of the user's is the store's from the moment at which that is open, and not before.</summary>
public sealed class DeviceOwnershipTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    [Fact]
    public Task A_store_that_falls_back_goes_on_over_the_device() => Guard.RunAsync(async () =>
    {
        var device = new Counting();
        await CommitTwiceAsync(device);
        DamageNewest();
        await using FasterStore store = await OpenAsync(device, fallBack: true);
        Assert.Single(store.Recovery!.Skipped);
        Assert.Equal(0, device.Disposals);
        await using (FasterSession session = store.StartSession())
        {
            Assert.Equal(7, session.Get(7));
            for (int key = 0; key < 60_000; key++) session.Put(key, key); // more than memory holds
            Assert.Equal(7, session.Get(7));
        }

        await store.CommitAsync();
        store.Dispose();
        Assert.Equal(1, device.Disposals);
    });

    [Fact]
    public Task A_device_whose_store_can_not_be_opened_stays_the_callers() => Guard.RunAsync(async () =>
    {
        var device = new Counting();
        await CommitTwiceAsync(device);
        DamageNewest();
        await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(device, fallBack: false));
        Assert.Equal(0, device.Disposals);
        await using FasterStore store = await OpenAsync(device, fallBack: true);
        await store.CommitAsync();
    });

    public void Dispose() => _folder.Dispose();

    private async Task CommitTwiceAsync(Counting device)
    {
        await using (FasterStore store = await OpenAsync(device, fallBack: true))
        {
            await using FasterSession session = store.StartSession();
            for (int round = 1; round <= 2; round++)
            {
                for (int key = 0; key < 5_000; key++) session.Put(key, key * round);
                await store.CommitAsync();
            }
        }

        device.Disposals = 0;
    }

    private void DamageNewest()
    {
        string newest = Directory.GetFiles(_folder.Path, "snapshot.*").Max(StringComparer.Ordinal)!;
        byte[] bytes = File.ReadAllBytes(newest);
        bytes[bytes.Length / 2] ^= 1;
        File.WriteAllBytes(newest, bytes);
    }

    private Task<FasterStore> OpenAsync(Counting device, bool fallBack) => FasterStore.OpenAsync(
        _folder.Path,
        new StoreOptions
        {
            MemoryBudget = ByteSize.MiB(1), ExpectedKeys = 5_000, CommitKind = CommitKind.Snapshot, Device = device,
            AllowOlderCommit = fallBack,
        },
        CounterOperations.Schema, default).AsTask();

    // Fails as any disposed device does; what it holds is there again when a test opens the next store.
    private sealed class Counting() : PassingDevice(new MemoryDevice())
    {
        public int Disposals { get; set; }

        public override void Submit(ReadOnlySpan<IORequest> requests)
        {
            ObjectDisposedException.ThrowIf(Disposals != 0, this);
            base.Submit(requests);
        }

        [SuppressMessage("Usage", "CA2215", Justification = "The device it passes to outlives it.")]
        protected override void Dispose(bool disposing) => Disposals++;
    }
}
