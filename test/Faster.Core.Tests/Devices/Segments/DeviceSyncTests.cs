using Faster.Devices;
using Faster.Devices.Segments;
using Faster.Operations.Waiting;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Devices.Segments;

/// <summary>The traps of syncing: a hidden failure, a retry, a forgotten folder.</summary>
public abstract class DeviceSyncTests : IDisposable
{
    private const int Segment = 64 << 10;
    private const int IOError = 5;

    private readonly TemporaryFolder _folder = new(onDisk: true);
    private readonly DeviceDriver _driver = new();
    private readonly FakeFileCalls _calls = new();
    private readonly SegmentedFileDevice _device;
    private readonly IOMode _io;

    protected DeviceSyncTests(IOMode io)
    {
        _io = io;
        _device = Open();
    }

    [Fact]
    public void A_sync_covers_each_written_segment_once()
    {
        DeviceDriver.Run(_device, _driver.Write(0, 512), _driver.Write(Segment, 512), _driver.Write(512, 512));
        _device.Sync();
        Assert.Equal(2, _calls.Syncs);
        _device.Sync();
        Assert.Equal(2, _calls.Syncs);
        DeviceDriver.Run(_device, _driver.Write(Segment, 512), _driver.Read(0, 512));
        _device.Sync();
        Assert.Equal(3, _calls.Syncs);
    }

    [Fact]
    public void A_failed_write_may_have_written_and_is_synced()
    {
        _calls.OnTransfer = () => throw new IOException("Input/output error", IOError);
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        _device.Sync();
        Assert.Equal(1, _calls.Syncs);
    }

    [Fact]
    public void A_new_folder_and_its_parent_are_synced_and_again_with_each_new_segment()
    {
        string parent = Path.GetDirectoryName(_folder.Path)!;
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        _device.Sync();
        Assert.Equal(new[] { parent, _folder.Path }.Order(), _calls.FoldersSynced.Order());
        DeviceDriver.Run(_device, _driver.Write(512, 512));
        _device.Sync();
        Assert.Equal(2, _calls.FoldersSynced.Count);
        DeviceDriver.Run(_device, _driver.Write(Segment, 512));
        _device.Sync();
        Assert.Equal(_folder.Path, _calls.FoldersSynced[2]);
    }

    [Fact]
    public void The_folder_is_synced_also_for_files_that_a_dead_process_made()
    {
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        using SegmentedFileDevice next = Open();
        DeviceDriver.Run(next, _driver.Write(512, 512));
        next.Sync();
        Assert.Equal([_folder.Path], _calls.FoldersSynced);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_failed_sync_is_fatal_and_never_retried(bool ofFolder)
    {
        if (ofFolder) _calls.OnSyncFolder = _ => IOError;
        else _calls.OnSync = () => IOError;
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        var error = Assert.Throws<StorageException>(_device.Sync);
        Assert.False(error.MayRetry);
        Assert.Contains("error 5", error.Message, StringComparison.Ordinal);
        int syncs = _calls.Syncs;

        _calls.OnSync = null;
        _calls.OnSyncFolder = null;
        DeviceDriver.Run(_device, _driver.Write(512, 512));
        for (int i = 0; i < 3; i++) Assert.Same(error, Assert.Throws<StorageException>(_device.Sync).InnerException);
        Assert.Equal(syncs, _calls.Syncs);
    }

    [Fact]
    public void A_folder_that_can_not_be_opened_was_not_synced_and_may_be_retried()
    {
        _calls.OnSyncFolder = _ => throw DeviceErrors.FromNumber(24); // EMFILE
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        for (int i = 0; i < 2; i++) Assert.True(Assert.Throws<StorageException>(_device.Sync).MayRetry);
        _calls.OnSyncFolder = null;
        _device.Sync();
        Assert.Contains(_folder.Path, _calls.FoldersSynced);
        int synced = _calls.FoldersSynced.Count;
        _device.Sync();
        Assert.Equal(synced, _calls.FoldersSynced.Count);
    }

    [Fact]
    public void A_sync_that_throws_poisons_too()
    {
        _calls.OnSync = () => throw new IOException("gone");
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        Assert.Throws<StorageException>(_device.Sync);
        _calls.OnSync = null;
        Assert.Throws<StorageException>(_device.Sync);
    }

    [Fact]
    public async Task A_second_sync_waits_for_the_first()
    {
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        _calls.OnSync = () =>
        {
            entered.Set();
            return leave.Wait(DeviceDriver.StallTimeout) ? 0 : IOError;
        };
        DeviceDriver.Run(_device, _driver.Write(0, 512));
        Task first = Task.Run(_device.Sync);
        Assert.True(entered.Wait(DeviceDriver.StallTimeout));
        bool wasFree = false;
        var second = new Thread(() =>
        {
            _device.Sync();
            wasFree = leave.IsSet;
        }) { IsBackground = true };
        second.Start();
        Assert.True(SpinWait.SpinUntil(() => !second.IsAlive || Waits(second), DeviceDriver.StallTimeout));
        leave.Set();
        await first.WaitAsync(DeviceDriver.StallTimeout);
        Assert.True(second.Join(DeviceDriver.StallTimeout));
        Assert.True(wasFree, "It did not wait.");

        static bool Waits(Thread thread) => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin);
    }

    [UnixFact("folders are not synced")]
    public void The_real_folder_sync_reports_a_folder_that_is_not_there()
    {
        Assert.Equal(2, Assert.Throws<IOException>(() => FileCalls.Real.SyncFolder(_folder.Path + "-absent")).HResult);
        Assert.Equal(0, FileCalls.Real.SyncFolder(AppContext.BaseDirectory));
    }

    [LinuxFact("a device that refuses to be synced")]
    public void The_real_sync_reports_what_cannot_be_synced()
    {
        using Microsoft.Win32.SafeHandles.SafeFileHandle zero = File.OpenHandle("/dev/zero");
        Assert.Equal(DeviceErrors.InvalidArgument, FileCalls.Real.Sync(zero));
    }

    public void Dispose()
    {
        _device.Dispose();
        _folder.Dispose();
        _driver.Dispose();
        GC.SuppressFinalize(this);
    }

    private SegmentedFileDevice Open() =>
        new(_folder.Path, SegmentFiles.DefaultName, Segment, 512, 4, true, _calls, TimeSpan.FromSeconds(5), _io);
}

/// <summary>Syncs after blocking calls.</summary>
public sealed class WorkerSyncTests() : DeviceSyncTests(IOMode.RandomAccess);

/// <summary>Syncs after transfers by io_uring.</summary>
public sealed class RingSyncTests() : DeviceSyncTests(IOMode.Auto);
