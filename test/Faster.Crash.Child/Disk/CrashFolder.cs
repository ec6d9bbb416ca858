using Faster.Devices;
using Faster.Devices.Folders;

namespace Faster.Crash.Disk;

/// <summary>A crash disk as a store sees it: its folder, or one of its folders.</summary>
/// <param name="disk">The disk.</param>
/// <param name="folder">What the names of its files begin with on the disk.</param>
internal sealed class CrashFolder(CrashDisk disk, string folder = "") : StoreFiles
{
    /// <summary>The prefix of the names of files in messages.</summary>
    public const string Root = "crash-disk";

    /// <summary>The disk.</summary>
    public CrashDisk Disk => disk;

    public override string Name => PathOf(folder).TrimEnd('/');

    public static string PathOf(string name) => $"{Root}/{name}";

    public override IReadOnlyList<string> List()
    {
        lock (disk.Gate)
        {
            disk.ThrowIfStopped(Name);
            return [.. disk.Live.Names.Keys.Where(name => DurableModel.IsIn(folder, name))
                .Select(name => name[folder.Length..])];
        }
    }

    public override StoreFile Create(string name)
    {
        name = folder + name;
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.Create, PathOf(name));
            int file = disk.FileOf(name, create: false);
            if (file < 0) file = disk.FileOf(name, create: true);
            else disk.Append(new DiskEvent(DiskEventKind.Emptied) { File = file, Name = name });
            return new CrashFile(disk, file, PathOf(name));
        }
    }

    public override StoreFile Open(string name)
    {
        name = folder + name;
        lock (disk.Gate)
        {
            disk.ThrowIfStopped(PathOf(name));
            int file = disk.FileOf(name, create: false);
            if (file >= 0) return new CrashFile(disk, file, PathOf(name));
            throw new DamagedDataException($"'{PathOf(name)}' does not exist. Restore it from a copy.")
            {
                Path = PathOf(name), Offset = 0,
            };
        }
    }

    public override void Rename(string from, string to)
    {
        (from, to) = (folder + from, folder + to);
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.Rename, PathOf(from));
            int file = disk.FileOf(from, create: false);
            if (file < 0) throw new DamagedDataException($"'{PathOf(from)}' does not exist.") { Path = PathOf(from) };
            disk.Append(new DiskEvent(DiskEventKind.Renamed) { File = file, Name = from, NewName = to });
        }
    }

    public override void Delete(string name)
    {
        name = folder + name;
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.Delete, PathOf(name));
            int file = disk.FileOf(name, create: false);
            if (file >= 0) disk.Append(new DiskEvent(DiskEventKind.Deleted) { File = file, Name = name });
        }
    }

    public override void SyncNames()
    {
        lock (disk.Gate)
        {
            disk.Enter(DiskCall.SyncNames, Name);
            disk.AppendSync(DiskCall.SyncNames, Name, new DiskEvent(DiskEventKind.NamesSynced) { Name = folder });
        }
    }

    public override Device OpenLog(string name, long segmentBytes, bool unbuffered) =>
        new CrashLog(disk, folder + name, segmentBytes);

    public override void Dispose() => disk.Unmount(folder);
}
