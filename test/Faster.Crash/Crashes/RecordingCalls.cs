using System.Runtime.CompilerServices;
using Faster.Crash.Disk;
using Faster.Devices.IOUring;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Crash.Crashes;

/// <summary>
/// Real system calls on a real folder, each of which is also an event of a crash disk: what the shipped device and
/// folder write and sync, and in which order, is crashed like any other run.
/// </summary>
/// <remarks>
/// A write begins before its system call and ends after it. A sync covers what was reported as done when it was called.
/// Thread-safe, by the disk's lock; transfers themselves run outside it.
/// </remarks>
/// <param name="disk">Takes the events.</param>
/// <param name="folder">The folder, as a full path; calls on other folders are no events.</param>
internal sealed class RecordingCalls(CrashDisk disk, string folder) : FileCalls
{
    private readonly ConditionalWeakTable<SafeFileHandle, Opened> _open = [];

    /// <summary>None: threads execute requests, through the calls below.</summary>
    public override RingCalls? Ring => null;

    public override SafeFileHandle Open(string path, bool create, ref bool unbuffered)
    {
        lock (disk.Gate)
        {
            SafeFileHandle handle = base.Open(path, create, ref unbuffered);
            string name = Path.GetFileName(path);
            _open.Add(handle, new Opened(name, disk.FileOf(name, create: true)));
            return handle;
        }
    }

    public override int Read(SafeFileHandle handle, Span<byte> bytes, long offset)
    {
        lock (disk.Gate) disk.Append(new DiskEvent(DiskEventKind.Read));
        return base.Read(handle, bytes, offset);
    }

    public override void Write(SafeFileHandle handle, ReadOnlySpan<byte> bytes, long offset)
    {
        int write;
        lock (disk.Gate) write = disk.BeginWrite(Of(handle).File, bytes, offset).Write;
        base.Write(handle, bytes, offset);
        lock (disk.Gate) disk.Append(new DiskEvent(DiskEventKind.WriteDone) { Write = write });
    }

    public override void Empty(SafeFileHandle handle)
    {
        lock (disk.Gate)
        {
            base.Empty(handle);
            (string name, int file) = Of(handle);
            disk.Append(new DiskEvent(DiskEventKind.Emptied) { File = file, Name = name });
        }
    }

    public override void Rename(string from, string to)
    {
        lock (disk.Gate)
        {
            string name = Path.GetFileName(from);
            int file = disk.FileOf(name, create: false);
            base.Rename(from, to);
            disk.Append(
                new DiskEvent(DiskEventKind.Renamed) { File = file, Name = name, NewName = Path.GetFileName(to) });
        }
    }

    public override void Delete(string path)
    {
        lock (disk.Gate)
        {
            string name = Path.GetFileName(path);
            int file = disk.FileOf(name, create: false);
            base.Delete(path);
            if (file >= 0) disk.Append(new DiskEvent(DiskEventKind.Deleted) { File = file, Name = name });
        }
    }

    public override int Sync(SafeFileHandle handle)
    {
        lock (disk.Gate)
        {
            (string name, int file) = Of(handle);
            string path = CrashFolder.PathOf(name);
            disk.AppendSync(DiskCall.Sync, path, new DiskEvent(DiskEventKind.Synced) { File = file, Name = path });
        }

        return base.Sync(handle);
    }

    public override int SyncFolder(string path)
    {
        if (path == folder)
        {
            lock (disk.Gate)
                disk.AppendSync(DiskCall.SyncNames, CrashFolder.Root, new DiskEvent(DiskEventKind.NamesSynced));
        }

        return base.SyncFolder(path);
    }

    private Opened Of(SafeFileHandle handle) => _open.TryGetValue(handle, out Opened? opened)
        ? opened
        : throw new InvalidOperationException("A file that was not opened by these calls.");

    private sealed record Opened(string Name, int File);
}
