using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Tests.Devices;

/// <summary>Each error of each file call means what the table says, and its message says nothing else.</summary>
public sealed unsafe class SystemErrorsTests : IDisposable
{
    private const int MaxError = 200, Interrupted = DeviceErrors.InterruptedCall, NoEntry = 2;

    private readonly TemporaryFolder _folder = new(onDisk: true);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Each_error_is_listed_once_and_no_other_is_final()
    {
        IEnumerable<IGrouping<int, SystemErrors.Row>> byNumber =
            SystemErrors.Table.Where(static row => row.Number != 0).GroupBy(static row => row.Number);
        Assert.All(byNumber, static rows => Assert.Single(rows.Select(static row => row.Name).Distinct()));
        Assert.All(
            SystemErrors.Table.GroupBy(static row => row.Name),
            static rows => Assert.Single(rows.Select(static row => (row.Linux, row.Mac, row.Fault)).Distinct()));
        Assert.All(SystemErrors.Table, static row => Assert.True(row.Linux != 0 && row.Name.StartsWith('E')));
        int[] listed = [.. byNumber.Select(static rows => rows.Key)];
        for (int error = 1; error <= MaxError; error++)
        {
            if (listed.Contains(error)) continue;
            Assert.Equal(SystemFault.Trouble, SystemErrors.Of(DeviceErrors.FromNumber(error)));
        }
    }

    // What the project promises by name.
    [UnixTheory("the numbers are others")]
    [InlineData(1, true)]    // EPERM
    [InlineData(5, true)]    // EIO
    [InlineData(9, false)]   // EBADF
    [InlineData(13, true)]   // EACCES
    [InlineData(22, false)]  // EINVAL
    [InlineData(23, true)]   // ENFILE
    [InlineData(24, true)]   // EMFILE
    [InlineData(28, true)]   // ENOSPC
    [InlineData(30, true)]   // EROFS
    public void An_error_that_may_be_repaired_meanwhile_may_be_retried(int error, bool mayRetry) =>
        Assert.Equal(mayRetry, DeviceErrors.File("It", RefusingCalls.Thrown(error)).MayRetry);

    [LinuxFact("its numbers")]
    public void A_quota_may_be_raised_and_a_stale_handle_is_final()
    {
        Assert.True(DeviceErrors.File("It", RefusingCalls.Thrown(122)).MayRetry);
        Assert.False(DeviceErrors.File("It", RefusingCalls.Thrown(116)).MayRetry);
    }

    [UnixFact("the numbers are others")]
    public void Each_error_of_each_call_on_a_folder_is_told_as_the_table_says()
    {
        var calls = new RefusingCalls();
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
        files.Create("a").Dispose();
        foreach (SystemErrors.Row row in SystemErrors.Table.Where(static row => row.Number != 0))
        {
            Check(calls, row, RefusedCall.Create, () => files.Create("b").Dispose());
            Check(calls, row, RefusedCall.Empty, () => files.Create("b").Dispose());
            Check(calls, row, RefusedCall.Open, () => files.Open("a").Dispose());
            Check(calls, row, RefusedCall.Rename, () =>
            {
                files.Create("b").Dispose();
                files.Rename("b", "c");
            });
            Check(calls, row, RefusedCall.Delete, () => files.Delete("c"));
            if (row.Number != Interrupted) Check(calls, row, RefusedCall.OpenFolder, files.SyncNames);
            using StoreFile file = files.Create("d");
            Check(calls, row, RefusedCall.Write, () => Write(file));
            Check(calls, row, RefusedCall.Read, () => Read(file));
            Check(calls, row, RefusedCall.Length, () => _ = file.Length);
            if (row.Number != Interrupted) Check(calls, row, RefusedCall.Sync, file.Sync);
        }

        static void Write(StoreFile file)
        {
            byte one = 1;
            file.Write(&one, 1, 0);
        }

        static void Read(StoreFile file)
        {
            byte one;
            file.Read(&one, 1, 0);
        }
    }

    [UnixFact("the numbers are others")]
    public void Each_error_of_each_call_on_a_log_is_told_as_the_table_says()
    {
        const int segment = 64 << 10;
        using var driver = new DeviceDriver();
        foreach (SystemErrors.Row row in SystemErrors.Table.Where(static row => row.Number is not (0 or Interrupted)))
        {
            var calls = new RefusingCalls();
            using SegmentedFileDevice device = Open("a"), synced = Open("b");
            Check(calls, row, RefusedCall.Create, () => Run(device, driver.Write(0, 512)));
            Check(calls, row, RefusedCall.Write, () => Run(device, driver.Write(0, 512)));
            Check(calls, row, RefusedCall.Read, () => Run(device, driver.Read(0, 512)));
            Check(calls, row, RefusedCall.OpenFolder, device.Sync);
            Check(calls, row, RefusedCall.Delete, () => device.TruncateBelow(segment));
            Run(synced, driver.Write(0, 512));
            Check(calls, row, RefusedCall.Sync, synced.Sync);
            device.TruncateBelow(segment);

            SegmentedFileDevice Open(string name) => new(
                Path.Combine(_folder.Path, $"{row.Name}-{row.Windows}"), name, segment, 512, 1, unbuffered: false,
                calls, SegmentedFileDevice.IdleLimit, IOMode.RandomAccess);
        }

        static void Run(SegmentedFileDevice device, IORequest request)
        {
            DeviceDriver.Run(device, request);
            if (request.Error is { } error) throw error;
        }
    }

    [UnixFact("paths have other limits")]
    public void An_error_that_the_platform_throws_is_found_in_the_table()
    {
        Directory.CreateDirectory(_folder.Path);
        string file = Path.Combine(_folder.Path, "file"), loop = Path.Combine(_folder.Path, "loop");
        using SafeFileHandle handle = File.OpenHandle(file, FileMode.CreateNew, FileAccess.ReadWrite);
        File.CreateSymbolicLink(loop, loop);
        Assert.Equal(SystemFault.Gone, Fault(() => Open(Path.Combine(_folder.Path, "none"))));
        Assert.Equal(SystemFault.Gone, Fault(() => Open(Path.Combine(file, "below"))));
        Assert.Equal(SystemFault.Trouble, Fault(() => Open(loop)));
        Assert.Equal(SystemFault.Misuse, Fault(() => Open(Path.Combine(_folder.Path, new string('n', 300)))));
        Assert.Equal(SystemFault.Space, Fault(() => FileCalls.Real.Write(handle, [1], long.MaxValue - 1)));
        using SafeFileHandle reader = File.OpenHandle(file, share: FileShare.ReadWrite);
        Assert.Equal(SystemFault.Misuse, Fault(() => FileCalls.Real.Write(reader, [1], 0)));

        static void Open(string path)
        {
            bool unbuffered = false;
            FileCalls.Real.Open(path, create: false, ref unbuffered).Dispose();
        }

        static SystemFault Fault(Action call) => SystemErrors.Of(Assert.ThrowsAny<SystemException>(call));
    }

    private static void Check(RefusingCalls calls, SystemErrors.Row row, RefusedCall call, Action act)
    {
        (calls.Refused, calls.Error) = ([call], row.Number);
        int before = calls.Refusals;
        var error = Assert.ThrowsAny<FasterException>(act);
        calls.Error = 0;
        Assert.True(calls.Refusals > before, $"{row.Name}: {call} was not called");
        if (row.Number == NoEntry && error is DamagedDataException) return; // a file that does not exist
        bool isSync = call is RefusedCall.Sync or RefusedCall.SyncFolder;
        bool mayRetry = !isSync && SystemErrors.MayRetry(row.Fault);
        Assert.Equal((row.Name, call, mayRetry), (row.Name, call, Assert.IsType<StorageException>(error).MayRetry));
        Assert.Equal(!mayRetry, error.Message.Contains("Close the store", StringComparison.Ordinal));
        Assert.True(mayRetry || !error.Message.Contains("retry", StringComparison.Ordinal), error.Message);
        if (isSync) Assert.Throws<StorageException>(act);
        else if (mayRetry || call != RefusedCall.OpenFolder) act();
    }
}
