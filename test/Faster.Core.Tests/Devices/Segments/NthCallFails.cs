using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices.Segments;

/// <summary>The real system calls, of which the n-th that changes anything fails; and a record of them all.</summary>
internal sealed class NthCallFails(int failAt = int.MaxValue) : FileCalls
{
    private const int InputOutputError = 5, NoSpace = 28;

    private int _failAt = failAt;
    private bool _persistent, _full;
    private readonly Dictionary<SafeFileHandle, string> _paths = [];
    private readonly Lock _lock = new();
    private int _calls;

    /// <summary>What was called, in order: «write NAME», «rename FROM TO», «folder» for its sync, …</summary>
    public List<string> Log { get; } = [];

    /// <summary>Whether the call that shall fail was reached.</summary>
    public bool Failed => _calls >= _failAt;

    /// <summary>From now on the n-th call fails, counted from here.</summary>
    /// <param name="n">From 1.</param>
    /// <param name="persistent">Whether all later calls fail, too.</param>
    /// <param name="full">Whether the disk is full, so that syncs succeed; else each failure is an I/O error.</param>
    public void Arm(int n, bool persistent, bool full)
    {
        lock (_lock) (_failAt, _persistent, _full) = (_calls + n, persistent, full);
    }

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
        FailsOrNotes("sync " + NameOf(handle)) && !_full ? InputOutputError : base.Sync(handle);

    public override int SyncFolder(string path) =>
        FailsOrNotes("folder") && !_full ? InputOutputError : base.SyncFolder(path);

    private string NameOf(SafeFileHandle handle)
    {
        lock (_lock) return _paths[handle];
    }

    private void FailOrNote(string call)
    {
        if (!FailsOrNotes(call)) return;
        throw _full
            ? new IOException("injected: no space left on device", NoSpace)
            : new IOException("injected: input/output error", InputOutputError);
    }

    private bool FailsOrNotes(string call)
    {
        lock (_lock)
        {
            bool fails = ++_calls == _failAt || (_persistent && _calls > _failAt);
            Log.Add(fails ? "failed " + call : call);
            return fails;
        }
    }
}
