using Faster.Contracts;
using Faster.Devices;
using Faster.Persistence;

namespace Faster.Tests.Persistence;

/// <summary>The seam that logs use: a ticket covers what was flushed, over cheap and dear fences alike.</summary>
public sealed class PersistenceDomainTests
{
    private const int Length = 64 << 10;

    [Fact]
    public async Task A_ticket_over_a_device_is_durable_after_a_sync_of_the_group()
    {
        using var memory = new MemoryDevice();
        var device = new FaultDevice(memory, ownsInner: false);
        using (var domain = new PersistenceDomain(DeviceRegion.Create(device, Length)))
        {
            Store(domain, 700);
            long ticket = domain.TakeTicket();
            Assert.True(await domain.SyncAsync(ticket) >= ticket);
            Assert.True(domain.IsDurable(ticket));
            Assert.Equal(2, device.Counters.Syncs); // with that of the creation
            Store(domain, 9000);
            domain.Fence();
            Assert.Equal(3, device.Counters.Syncs);
            Assert.Equal(Length, domain.Length);
        }

        using DeviceRegion again = DeviceRegion.Open(new FaultDevice(memory, ownsInner: false), Length);
        Assert.Equal((1, 1), (Load(again, 700), Load(again, 9000)));
    }

    [Fact]
    public async Task A_ticket_over_cheap_fences_is_durable_at_once()
    {
        var region = new FaultRegion(new EmulatedRegion(Length, TimeSpan.Zero), FaultPlan.None);
        using var domain = new PersistenceDomain(region);
        Store(domain, 0);
        long ticket = domain.TakeTicket();
        Assert.Equal(1, region.Counters.Syncs);
        Assert.True(domain.IsDurable(ticket));
        await domain.SyncAsync(ticket);
        Assert.Equal(1, region.Counters.Syncs);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_failed_fence_fails_all_later_fences_and_tickets(bool isDevice)
    {
        using var memory = new MemoryDevice();
        PersistentRegion inner = isDevice
            ? DeviceRegion.Create(memory, Length)
            : new EmulatedRegion(Length, TimeSpan.Zero);
        var plan = new FaultPlan { Faults = [new Fault(FaultTarget.Sync, 2)] };
        using var domain = new PersistenceDomain(new FaultRegion(inner, plan));
        domain.Fence();
        await Assert.ThrowsAsync<StorageException>(SyncAsync);
        Assert.Throws<StorageException>(domain.Fence);
        await Assert.ThrowsAsync<StorageException>(SyncAsync);

        async Task SyncAsync() => await domain.SyncAsync(domain.TakeTicket());
    }

    [Fact]
    public async Task Disposal_ends_the_waits()
    {
        using var memory = new MemoryDevice();
        var domain = new PersistenceDomain(DeviceRegion.Create(memory, Length));
        long ticket = domain.TakeTicket();
        await domain.SyncAsync(ticket);
        domain.Dispose();
        Assert.True(domain.IsDurable(ticket));
        Assert.Throws<ObjectDisposedException>(() => domain.TakeTicket());
    }

    private static unsafe void Store(PersistenceDomain domain, int at)
    {
        domain.Pointer[at] = 1;
        domain.Flush(at, 1);
    }

    private static unsafe int Load(DeviceRegion region, int at) => region.Pointer[at];
}
