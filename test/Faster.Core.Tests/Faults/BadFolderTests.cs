using System.Diagnostics;
using System.Runtime.Versioning;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>A folder that can't be used is a typed error that says why; the folder is free again afterwards.</summary>
public sealed class BadFolderTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    [Fact]
    public async Task A_file_in_the_folders_place()
    {
        string file = Inside("file");
        File.WriteAllText(file, "hello");
        Assert.Contains("is a file", (await Refused(file)).Message, StringComparison.Ordinal);
        string below = Path.Combine(file, "below");
        Assert.Contains("can't be created", (await Refused(below)).Message, StringComparison.Ordinal);
        Assert.Equal("hello", File.ReadAllText(file));
    }

    [LinuxFact("a folder that even root can't write to")]
    public async Task A_folder_without_permission_to_write() => await Refused("/proc/faster-store");

    [OrdinaryUserFact, UnsupportedOSPlatform("windows")]
    public async Task A_folder_that_is_not_writable()
    {
        string folder = Directory.CreateDirectory(Inside("closed")).FullName;
        File.SetUnixFileMode(folder, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        Assert.Contains("not writable", (await Refused(folder)).Message, StringComparison.Ordinal);
        File.SetUnixFileMode(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    [Fact]
    public async Task A_folder_that_is_open_in_this_process()
    {
        FasterStore first = await Open(_folder.Path);
        Assert.Contains("open already", (await Refused(_folder.Path)).Message, StringComparison.Ordinal);
        await using (FasterSession session = first.StartSession())
        {
            session.Put(1, 2);
            Assert.Equal(2, session.Get(1)); // the refused one has done the first no harm
        }

        await first.DisposeAsync();
        await using FasterStore second = await Open(_folder.Path);
    }

    [Fact]
    public async Task A_folder_that_is_open_in_another_process()
    {
        using Process holder = MemoryProbe.Start("hold", _folder.Path);
        try
        {
            Assert.Equal("open", await holder.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromMinutes(1)));
            Assert.Contains("open already", (await Refused(_folder.Path)).Message, StringComparison.Ordinal);
        }
        finally
        {
            holder.Kill(); // no lock outlives its process
            await holder.WaitForExitAsync();
        }

        // The lock is free; what is left to object to are the records of the other program's store.
        Assert.Contains("belongs to a store of", (await Refused(_folder.Path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metadata_that_can_not_be_replaced()
    {
        Directory.CreateDirectory(Inside("store.meta"));
        Assert.NotNull((await Refused(_folder.Path)).InnerException);
        Directory.Delete(Inside("store.meta"));
        await using FasterStore store = await Open(_folder.Path); // the lock was given back
    }

    [Fact]
    public async Task A_folder_with_other_files_does_not_become_a_store()
    {
        File.WriteAllText(Inside("notes.txt"), "hello");
        Directory.CreateDirectory(Inside("photos"));
        StoreOpenException error = await Refused(_folder.Path);
        Assert.Contains("'notes.txt', 'photos'", error.Message, StringComparison.Ordinal);
        Assert.Contains("holds no store", error.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreOpenException>(() => FasterStore.RecoverAsync(
            _folder.Path, new StoreOptions(), CounterOperations.Schema, null, default).AsTask());
        Assert.Equal(2, Directory.GetFileSystemEntries(_folder.Path).Length); // not even a lock
    }

    [Fact]
    public async Task Files_that_a_file_system_or_a_tool_leaves_in_a_folder_may_stay()
    {
        Directory.CreateDirectory(Inside("lost+found"));
        File.WriteAllText(Inside(".gitkeep"), "");
        File.WriteAllText(Inside(".DS_Store"), "");
        await (await Open(_folder.Path)).DisposeAsync();
        File.WriteAllText(Inside("notes.txt"), "hello"); // beside a store anything may lie
        await (await Open(_folder.Path)).DisposeAsync();
        Assert.Equal("hello", File.ReadAllText(Inside("notes.txt")));
    }

    [Theory]
    [InlineData(0)]     // the mark
    [InlineData(8)]     // the version
    [InlineData(12)]    // the length
    [InlineData(30)]    // the rest, by its checksum
    [InlineData(-1)]    // the checksum
    public async Task Damaged_metadata(int at)
    {
        await (await Open(_folder.Path)).DisposeAsync();
        byte[] bytes = File.ReadAllBytes(Inside("store.meta"));
        bytes[at < 0 ? bytes.Length + at : at] ^= 1;
        File.WriteAllBytes(Inside("store.meta"), bytes);
        var error = await Assert.ThrowsAsync<DamagedDataException>(() => Open(_folder.Path));
        Assert.Equal(Inside("store.meta"), error.Path);
        Assert.Equal(bytes, File.ReadAllBytes(Inside("store.meta")));
    }

    [Fact]
    public async Task Every_shortened_metadata_file()
    {
        await (await Open(_folder.Path)).DisposeAsync();
        byte[] bytes = File.ReadAllBytes(Inside("store.meta"));
        for (int length = 0; length < bytes.Length; length++)
        {
            File.WriteAllBytes(Inside("store.meta"), bytes[..length]);
            await Assert.ThrowsAsync<DamagedDataException>(() => Open(_folder.Path));
        }
    }

    [Fact]
    public async Task A_store_of_other_records()
    {
        await (await Open(_folder.Path)).DisposeAsync();
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => FasterStore.OpenAsync(
            _folder.Path, new StoreOptions(), BytesOperations.Schema, default).AsTask());
        Assert.Contains("key there: long", error.Message, StringComparison.Ordinal);
    }

    public void Dispose() => _folder.Dispose();

    private string Inside(string name)
    {
        Directory.CreateDirectory(_folder.Path);
        return Path.Combine(_folder.Path, name);
    }

    private static Task<StoreOpenException> Refused(string folder) =>
        Assert.ThrowsAsync<StoreOpenException>(() => Open(folder));

    private static Task<FasterStore> Open(string folder) => FasterStore.OpenAsync(
        folder, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, CounterOperations.Schema, default).AsTask();
}
