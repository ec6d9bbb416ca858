using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>A small store over a device that can be told to fail; its log spills soon.</summary>
internal sealed class FaultedStore : IDisposable
{
    /// <summary>With so many keys of <see cref="Fill"/> the log is about twice as large as its memory.</summary>
    public const int Keys = 80_000;

    private static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(8), ExpectedKeys = 20_000,
    };

    private readonly TemporaryFolder? _folder;

    public FaultedStore(bool onFiles = false, bool bytes = false, Device? inner = null)
    {
        if (onFiles) _folder = new TemporaryFolder();
        const int segment = 1 << 20; // of whole pages, which take 12 KiB each
        inner ??= onFiles ? new SegmentedFileDevice(_folder!.Path, segment / 12288 * 12288) : new MemoryDevice();
        Device = new FaultDevice(inner);
        RecordSchema schema = bytes ? BytesOperations.Schema : CounterOperations.Schema;
        Store = FasterStore.OpenAsync(null, Small with { Device = Device }, schema, default)
            .AsTask().GetAwaiter().GetResult();
        Session = Store.StartSession();
    }

    public FaultDevice Device { get; }

    public FasterStore Store { get; }

    public FasterSession Session { get; }

    /// <summary>Puts key × 3 under every key: the first ones lie on disk afterwards.</summary>
    public void Fill()
    {
        for (int key = 0; key < Keys; key++) Session.Put(key, key * 3L);
    }

    /// <summary>Makes all calls of a kind fail permanently.</summary>
    public void Break(FaultTarget target, FaultFlavor flavor = FaultFlavor.InputOutputError) =>
        Device.Arm(new FaultPlan { Faults = [new Fault(target, 1, flavor, Persistent: true)] });

    public void Mend() => Device.Arm(FaultPlan.None);

    public void Dispose()
    {
        Store.Dispose();
        _folder?.Dispose();
    }
}
