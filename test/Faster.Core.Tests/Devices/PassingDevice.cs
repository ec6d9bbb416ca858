using Faster.Devices;

namespace Faster.Tests.Devices;

/// <summary>Passes everything on to another device, which it owns; what a test changes it overrides.</summary>
internal abstract class PassingDevice(Device inner) : Device
{
    public override int SectorSize => inner.SectorSize;

    public override string Name => inner.Name;

    public override void Submit(ReadOnlySpan<IORequest> requests) => inner.Submit(requests);

    public override int Poll(Span<IORequest> completed) => inner.Poll(completed);

    public override bool Wait(TimeSpan timeout) => inner.Wait(timeout);

    public override void Wake() => inner.Wake();

    public override void Sync() => inner.Sync();

    public override void TruncateBelow(long offset) => inner.TruncateBelow(offset);

    protected override void Dispose(bool disposing)
    {
        if (disposing) inner.Dispose();
    }
}
