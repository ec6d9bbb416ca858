using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Faster.Tests.Devices.IOUring;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices.Segments;

/// <summary>The real system calls, of which a test replaces some, and a count of each.</summary>
internal sealed class FakeFileCalls : FileCalls
{
    public FakeFileCalls() => Rings = base.Ring is null ? null : new FakeRingCalls(this);

    public Func<bool, int>? OnSetUnbuffered { get; set; }

    public Func<int>? OnSync { get; set; }

    /// <summary>Called before the lock on a folder is taken; may throw what the system would.</summary>
    public Action? OnLock { get; set; }

    public Func<string, int>? OnSyncFolder { get; set; }

    /// <summary>The most bytes of one system read.</summary>
    public int ReadAtMost { get; set; } = int.MaxValue;

    /// <summary>Called before each transfer; may throw what the system would.</summary>
    public Action? OnTransfer { get; set; }

    public int Syncs { get; private set; }

    public FakeRingCalls? Rings { get; init; }

    public override RingCalls? Ring => Rings;

    public List<string> FoldersSynced { get; } = [];

    public override SafeFileHandle OpenLock(string path)
    {
        OnLock?.Invoke();
        return base.OpenLock(path);
    }

    /// <summary>Called instead of the system's lock on an open file.</summary>
    public Func<int>? OnFlock { get; set; }

    public override int Lock(SafeFileHandle file) => OnFlock is null ? base.Lock(file) : OnFlock();

    public override int SetUnbuffered(SafeFileHandle handle, bool on) =>
        OnSetUnbuffered is null ? base.SetUnbuffered(handle, on) : OnSetUnbuffered(on);

    public override int Read(SafeFileHandle handle, Span<byte> bytes, long offset)
    {
        OnTransfer?.Invoke();
        return base.Read(handle, bytes[..Math.Min(bytes.Length, ReadAtMost)], offset);
    }

    public override void Write(SafeFileHandle handle, ReadOnlySpan<byte> bytes, long offset)
    {
        OnTransfer?.Invoke();
        base.Write(handle, bytes, offset);
    }

    public override int Sync(SafeFileHandle handle)
    {
        Syncs++;
        return OnSync is null ? base.Sync(handle) : OnSync();
    }

    /// <summary>Called instead of a sync of a mapping, with the number of its bytes.</summary>
    public Func<long, int>? OnSyncMapped { get; set; }

    public override int SyncMapped(SafeFileHandle file, nint start, long length) =>
        OnSyncMapped is null ? base.SyncMapped(file, start, length) : OnSyncMapped(length);

    public override int SyncFolder(string path)
    {
        FoldersSynced.Add(path);
        return OnSyncFolder is null ? base.SyncFolder(path) : OnSyncFolder(path);
    }
}
