using Faster.Devices.Folders;

namespace Faster.Crash.Disk;

/// <summary>An open file of a crash disk; it stays the same file when its name is reused for another one.</summary>
internal sealed unsafe class CrashFile(CrashDisk disk, int file, string path) : StoreFile
{
    public override string Path => path;

    public override long Length
    {
        get
        {
            lock (disk.Gate) return disk.Live.Files[file].Length;
        }
    }

    public override void Read(byte* buffer, int length, long offset)
    {
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.Read, path);
            disk.Append(new DiskEvent(DiskEventKind.Read) { File = file });
            FileImage image = disk.Live.Files[file];
            if (offset + length > image.Length)
            {
                throw new DamagedDataException($"'{path}' ends at {image.Length}, before {offset + length}.")
                {
                    Path = path, Offset = image.Length,
                };
            }

            image.Read(new Span<byte>(buffer, length), offset);
        }
    }

    public override void Write(byte* buffer, int length, long offset)
    {
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.Write, path);
            disk.Reserve(disk.Live.Files[file], offset + length, path);
            int write = disk.BeginWrite(file, new ReadOnlySpan<byte>(buffer, length), offset).Write;
            disk.Append(new DiskEvent(DiskEventKind.WriteDone) { Write = write });
        }
    }

    public override void Sync()
    {
        lock (disk.Gate)
        {
            try
            {
                disk.Enter(DiskCall.Sync, path);
            }
            catch (StorageException) when (!disk.IsStopped)
            {
                disk.Append(new DiskEvent(DiskEventKind.SyncFailed) { File = file });
                throw;
            }

            disk.AppendSync(DiskCall.Sync, path, new DiskEvent(DiskEventKind.Synced) { File = file, Name = path });
        }
    }

    public override void Dispose() { }
}
