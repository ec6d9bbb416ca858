using Faster.Checkpoints;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints.Snapshots;

/// <summary>A snapshot is deleted when no commit names it and no reader uses it, by its last holder.</summary>
public sealed class SnapshotFileRefsTests : IDisposable
{
    private const ulong Store = 77;
    private const string Name = "snapshot.000000000001";

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly PumpedLog _log = new(new MemoryDevice());
    private readonly SnapshotFileRefs _snapshotFiles;
    private readonly FileReference[] _snapshots;
    private readonly long _end;

    public SnapshotFileRefsTests()
    {
        _files = FolderFiles.OpenFolder(_folder.Path);
        _snapshotFiles = new SnapshotFileRefs(_files, Store);
        for (int key = 0; key < 10; key++) _log.Append(key, 100);
        _end = _log.Log.PadTail();
        var writer = new SnapshotWriter(_log.Epochs, _log.Log, _log.Storage, _files, Store, 8192);
        _snapshots = [writer.Write(Name, 64, _end, default)];
    }

    private bool IsThere => _files.List().Contains(Name);

    public void Dispose()
    {
        _log.Dispose();
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void A_file_that_no_commit_names_can_not_be_taken()
    {
        Assert.False(_snapshotFiles.Has(_snapshots));
        Assert.Null(Open());
        _snapshotFiles.Keep(_snapshots);
        Assert.True(_snapshotFiles.Has(_snapshots));
        Open()!.Dispose();
        Assert.True(_snapshotFiles.MayDelete(Name));
        Assert.False(_snapshotFiles.Has(_snapshots));
        Assert.Null(Open());
        Assert.True(_snapshotFiles.MayDelete(Name)); // the deletion has failed, and is tried again
        Assert.True(IsThere);
    }

    [Fact]
    public void The_last_reader_deletes_it()
    {
        _snapshotFiles.Keep(_snapshots);
        SnapshotPages first = Open()!, second = Open()!, third = Open()!;
        first.Dispose();
        first.Dispose();
        Assert.False(_snapshotFiles.MayDelete(Name));
        Assert.Null(Open());
        second.Dispose();
        Assert.True(IsThere);
        third.Dispose();
        Assert.False(IsThere);
    }

    [Fact]
    public void A_second_commit_that_names_it_does_not_forget_its_readers()
    {
        _snapshotFiles.Keep(_snapshots);
        using (Open())
        {
            _snapshotFiles.Keep(_snapshots);
            Assert.False(_snapshotFiles.MayDelete(Name));
            Assert.True(IsThere);
        }

        Assert.False(IsThere);
    }

    [Fact]
    public void Nothing_is_deleted_when_the_folder_has_another_owner()
    {
        _snapshotFiles.Keep(_snapshots);
        using (Open())
        {
            Assert.False(_snapshotFiles.MayDelete(Name));
            _snapshotFiles.Close();
        }

        Assert.True(IsThere);
    }

    [Fact]
    public void A_reader_that_could_not_open_it_holds_it_no_more()
    {
        _snapshotFiles.Keep(_snapshots);
        Assert.Throws<DamagedDataException>(
            () => _snapshotFiles.TryOpen(_snapshots, 64, _end + 512, PumpedLog.PageBits)); // the commit has more
        Assert.True(_snapshotFiles.MayDelete(Name));
    }

    private SnapshotPages? Open() => _snapshotFiles.TryOpen(_snapshots, 64, _end, PumpedLog.PageBits);
}
