using Faster.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A store's folder in which files that a test names can't be made.</summary>
internal sealed class FailingFiles(StoreFiles inner) : PassingFiles(inner)
{
    private Func<string, Exception?>? _fault;

    /// <summary>Decides of each file that is made whether it fails, and how; null: none does.</summary>
    public Func<string, Exception?>? Fault
    {
        set => Volatile.Write(ref _fault, value);
    }

    public override StoreFile Create(string name) =>
        Volatile.Read(ref _fault)?.Invoke(name) is { } fault ? throw fault : base.Create(name);
}
