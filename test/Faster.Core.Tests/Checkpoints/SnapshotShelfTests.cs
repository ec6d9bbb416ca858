using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Devices;
using Faster.Tests.Devices;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints;

/// <summary>A snapshot is deleted when no commit names it and nobody reads it, by whoever is the last.</summary>
public sealed class SnapshotShelfTests : IDisposable
{
    private const ulong Store = 77;
    private const string Name = "snapshot.000000000001";

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly PumpedLog _log = new(new MemoryDevice());
    private readonly SnapshotShelf _shelf;
    private readonly SnapshotReference[] _snapshots;
    private readonly long _end;

    public SnapshotShelfTests()
    {
        _files = FolderFiles.OpenFolder(_folder.Path);
        _shelf = new SnapshotShelf(_files, Store);
        for (int key = 0; key < 10; key++) _log.Append(key, 100);
        _end = _log.Log.PadTail();
        var writer = new SnapshotWriter<NoProbe>(_log.Epochs, _log.Log, _log.Storage, _files, Store, 8192);
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
    public void What_no_commit_names_can_not_be_taken()
    {
        Assert.False(_shelf.Has(_snapshots));
        Assert.Null(Open());
        _shelf.Keep(_snapshots);
        Assert.True(_shelf.Has(_snapshots));
        Open()!.Dispose();
        Assert.True(_shelf.MayDelete(Name));
        Assert.False(_shelf.Has(_snapshots));
        Assert.Null(Open());
        Assert.True(_shelf.MayDelete(Name)); // who deletes it has failed, and asks again
        Assert.True(IsThere);
    }

    [Fact]
    public void The_last_who_reads_it_deletes_it()
    {
        _shelf.Keep(_snapshots);
        SnapshotPages first = Open()!, second = Open()!, third = Open()!;
        first.Dispose();
        first.Dispose();
        Assert.False(_shelf.MayDelete(Name));
        Assert.Null(Open());
        second.Dispose();
        Assert.True(IsThere);
        third.Dispose();
        Assert.False(IsThere);
    }

    [Fact]
    public void A_second_commit_that_names_it_does_not_forget_who_reads_it()
    {
        _shelf.Keep(_snapshots);
        using (Open())
        {
            _shelf.Keep(_snapshots);
            Assert.False(_shelf.MayDelete(Name));
            Assert.True(IsThere);
        }

        Assert.False(IsThere);
    }

    [Fact]
    public void Nothing_is_deleted_when_the_folder_is_somebody_elses()
    {
        _shelf.Keep(_snapshots);
        using (Open())
        {
            Assert.False(_shelf.MayDelete(Name));
            _shelf.Close();
        }

        Assert.True(IsThere);
    }

    [Fact]
    public void Who_could_not_open_it_reads_it_no_more()
    {
        _shelf.Keep(_snapshots);
        Assert.Throws<DamagedDataException>(
            () => _shelf.TryOpen(_snapshots, 64, _end + 512, PumpedLog.PageBits)); // the commit has more
        Assert.True(_shelf.MayDelete(Name));
    }

    private SnapshotPages? Open() => _shelf.TryOpen(_snapshots, 64, _end, PumpedLog.PageBits);
}
