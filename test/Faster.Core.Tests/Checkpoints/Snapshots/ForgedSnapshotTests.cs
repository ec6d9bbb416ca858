using System.Runtime.InteropServices;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints.Snapshots;

/// <summary>
/// Snapshots with correct checksums and impossible runs are refused by both readers.
/// </summary>
public sealed unsafe class ForgedSnapshotTests : IDisposable
{
    private const ulong Store = 77;
    private const long Start = 64, Base = 4096, End = 8568; // an increment that ends in the third page

    private static readonly SnapshotRun Whole = new(Base, End - Base), Last = new(0, 0);

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;

    public ForgedSnapshotTests() => _files = FolderFiles.OpenFolder(_folder.Path);

    public static TheoryData<string> Forgeries => [.. s_forged.Keys];

    private static readonly Dictionary<string, SnapshotRun[]> s_forged = new()
    {
        ["below the first address"] = [new(Start - 8, 16), Whole, Last],
        ["before the one before"] = [new(Start + 64, 16), new(Start, 16), Whole, Last],
        ["over the one before"] = [new(Start, 64), new(Start + 56, 16), Whole, Last],
        ["beyond the end"] = [new(Base, End - Base + 8), Last],
        ["of negative length"] = [new(Start, -8), Whole, Last],
        ["behind the last"] = [Whole, new(End, 8), Last],
    };

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void One_that_is_right_is_read_by_both()
    {
        FileReference[] snapshots = Forge([new(Start, 16), new(Start + 16, 8), new(Base - 8, 8), Whole, Last]);
        Load(snapshots);
        LoadByPages(snapshots);
    }

    [Theory]
    [MemberData(nameof(Forgeries))]
    public void A_stretch_in_a_wrong_place_is_refused_by_both(string where)
    {
        FileReference[] snapshots = Forge(s_forged[where]);
        foreach (Action<FileReference[]> read in new Action<FileReference[]>[] { Load, LoadByPages })
        {
            var damage = Assert.Throws<DamagedDataException>(() => read(snapshots));
            Assert.Equal(Path.Combine(_folder.Path, "s2"), damage.Path);
        }
    }

    [Theory]
    [InlineData(Start, 0)]
    [InlineData(Base, End - Base - 8)]
    [InlineData(Base + 8, End - Base - 8)]
    public void By_pages_a_stretch_that_is_not_the_whole_from_the_base_on_is_refused(long address, long length)
    {
        FileReference[] snapshots = Forge([new(address, length), Last]);
        Assert.Throws<DamagedDataException>(() => LoadByPages(snapshots));
    }

    [Fact]
    public void By_pages_a_changed_stretch_in_two_pages_is_refused()
    {
        FileReference[] snapshots = Forge([new(Base - 8, 16), Whole, Last]);
        Assert.Throws<DamagedDataException>(() => LoadByPages(snapshots));
    }

    // A whole snapshot up to the base, and an increment of some runs.
    private FileReference[] Forge(SnapshotRun[] runs) =>
    [
        Write("s1", new SnapshotHeader(Start, Start, Base), [new(Start, Base - Start), Last]),
        Write("s2", new SnapshotHeader(Start, Base, End), runs),
    ];

    private FileReference Write(string name, SnapshotHeader header, SnapshotRun[] runs)
    {
        using var writer = new ChecksummedFileWriter(_files, name, ChecksummedFileKind.Snapshot, Store);
        writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<SnapshotHeader>(in header)));
        foreach (SnapshotRun run in runs)
        {
            writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<SnapshotRun>(in run)));
            writer.Write(new byte[Math.Max(run.Length, 0)]);
        }

        return new FileReference(name, writer.Identity, writer.Complete());
    }

    private void Load(FileReference[] snapshots)
    {
        using var device = new MemoryDevice();
        using var log = new PumpedLog(device, residentPages: 16);
        log.Log.Restore(Start, 0, End, Start);
        new SnapshotReader(_files, Store, log.Log).Load(snapshots, Start, End, default);
    }

    private void LoadByPages(FileReference[] snapshots)
    {
        var snapshotFiles = new SnapshotFileRefs(_files, Store);
        snapshotFiles.Keep(snapshots);
        using SnapshotPages pages = snapshotFiles.TryOpen(snapshots, Start, End, PumpedLog.PageBits)!;
        byte[] page = new byte[1 << PumpedLog.PageBits];
        fixed (byte* bytes = page) pages.Load(Start, Base, bytes);
    }
}
