using Faster.Devices;
using Faster.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A store's folder that passes everything on to another one.</summary>
internal abstract class PassingFiles(StoreFiles inner) : StoreFiles
{
    public override string Name => inner.Name;

    public override IReadOnlyList<string> List() => inner.List();

    public override StoreFile Create(string name) => inner.Create(name);

    public override StoreFile Open(string name) => inner.Open(name);

    public override void Rename(string from, string to) => inner.Rename(from, to);

    public override void Delete(string name) => inner.Delete(name);

    public override void SyncNames() => inner.SyncNames();

    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) =>
        inner.OpenLog(name, segmentBytes, unbuffered);

    public override void Dispose() => inner.Dispose();
}
