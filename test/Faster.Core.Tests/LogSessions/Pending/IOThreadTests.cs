using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Compaction;
using Faster.Tests.Devices;
using Faster.Tests.Engines;
using Faster.Tests.Faults;

namespace Faster.Tests.LogSessions.Pending;

/// <summary>The store's thread for I/O goes on, whatever its device throws.</summary>
public sealed class IOThreadTests
{
    [Fact]
    public Task A_device_that_can_not_wait_is_polled_and_the_fault_is_noted() => Guard.RunAsync(async () =>
    {
        var device = new Impatient(new MemoryDevice());
        await using FasterStore store = await GarbageStore.OpenAsync(
            null, GarbageStore.Small with { ReadCacheFraction = 0, Device = device });
        using FasterSession session = store.StartSession();
        session.Fill(0, 30_000);
        device.Throws = true;
        device.Wake();
        while (store.Statistics.LastFault is null) await Task.Yield();
        for (long key = 0; key < 10; key++) Assert.Equal(Status.Ok, await session.AddAsync(key, 1));
        session.Fill(40_000, 60_000); // pages are flushed, too
        Assert.Equal(Impatient.Message, store.Statistics.LastFault.Message);
        device.Throws = false;
        for (long key = 0; key < 10; key++) Assert.Equal((key * 3) + 1, session.Get(key));
    });

    private sealed class Impatient(Device inner) : PassingDevice(inner)
    {
        public const string Message = "The device can't wait.";

        public volatile bool Throws;

        public override bool Wait(TimeSpan timeout) =>
            Throws ? throw new IOException(Message) : base.Wait(timeout);
    }
}
