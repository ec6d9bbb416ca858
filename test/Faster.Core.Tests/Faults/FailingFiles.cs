using Faster.Devices;
using Faster.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A store's folder in which files that a test names can't be made.</summary>
internal sealed class FailingFiles(StoreFiles inner) : StoreFiles
{
    private Func<string, Exception?>? _fault;

    /// <summary>Decides of each file that is made whether it fails, and how; null: none does.</summary>
    public Func<string, Exception?>? Fault
    {
        set => Volatile.Write(ref _fault, value);
    }

    public override string Name => inner.Name;

    public override IReadOnlyList<string> List() => inner.List();

    public override StoreFile Create(string name) =>
        Volatile.Read(ref _fault)?.Invoke(name) is { } fault ? throw fault : inner.Create(name);

    public override StoreFile Open(string name) => inner.Open(name);

    public override void Rename(string from, string to) => inner.Rename(from, to);

    public override void Delete(string name) => inner.Delete(name);

    public override void SyncNames() => inner.SyncNames();

    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) =>
        inner.OpenLog(name, segmentBytes, unbuffered);

    public override void Dispose() => inner.Dispose();
}
