using Faster.Devices;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices;

/// <summary>The real system calls, of which the n-th that changes anything fails; and a record of them all.</summary>
internal sealed class NthCallFails(int failAt) : FileCalls
{
    private readonly Dictionary<SafeFileHandle, string> _paths = [];
    private readonly Lock _lock = new();
    private int _calls;

    /// <summary>What was called, in order: «write NAME», «rename FROM TO», «folder» for its sync, …</summary>
    public List<string> Log { get; } = [];

    /// <summary>Whether the call that shall fail was reached.</summary>
    public bool Failed => _calls >= failAt;

    /// <summary>None: what is transferred past these calls would not be counted.</summary>
    public override RingCalls? Ring => null;

    public override SafeFileHandle Open(string path, bool create, ref bool unbuffered)
    {
        if (create) FailOrNote("create " + Path.GetFileName(path));
        SafeFileHandle handle = base.Open(path, create, ref unbuffered);
        lock (_lock) _paths[handle] = Path.GetFileName(path);
        return handle;
    }

    public override void Empty(SafeFileHandle handle)
    {
        FailOrNote("empty " + NameOf(handle));
        base.Empty(handle);
    }

    public override int Read(SafeFileHandle handle, Span<byte> bytes, long offset)
    {
        FailOrNote("read " + NameOf(handle));
        return base.Read(handle, bytes, offset);
    }

    public override void Write(SafeFileHandle handle, ReadOnlySpan<byte> bytes, long offset)
    {
        FailOrNote("write " + NameOf(handle));
        base.Write(handle, bytes, offset);
    }

    public override void Rename(string from, string to)
    {
        FailOrNote($"rename {Path.GetFileName(from)} {Path.GetFileName(to)}");
        base.Rename(from, to);
    }

    public override void Delete(string path)
    {
        FailOrNote("delete " + Path.GetFileName(path));
        base.Delete(path);
    }

    public override int Sync(SafeFileHandle handle) =>
        FailsOrNotes("sync " + NameOf(handle)) ? 5 : base.Sync(handle);

    public override int SyncFolder(string path) => FailsOrNotes("folder") ? 5 : base.SyncFolder(path);

    private string NameOf(SafeFileHandle handle)
    {
        lock (_lock) return _paths[handle];
    }

    private void FailOrNote(string call)
    {
        if (FailsOrNotes(call)) throw new IOException("injected: input/output error", 5);
    }

    private bool FailsOrNotes(string call)
    {
        lock (_lock)
        {
            bool fails = ++_calls == failAt;
            Log.Add(fails ? "failed " + call : call);
            return fails;
        }
    }
}
