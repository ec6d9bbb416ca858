using System.Runtime.InteropServices;
using Faster.Checkpoints.Files;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Tests.Devices.IOUring;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Devices.Folders;

/// <summary>A store's folder on a real disk: whole transfers, typed errors, and names that are synced.</summary>
public sealed unsafe class FolderFilesTests : IDisposable
{
    private readonly TemporaryFolder _folder = new(onDisk: true);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true, 1 << 20, 0)]
    [InlineData(true, 1 << 20, 4096)]
    [InlineData(true, 12_345, 77)]
    [InlineData(false, 1 << 20, 0)]
    public void Written_bytes_are_read(bool unbuffered, int length, int offset)
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered);
        byte[] bytes = Bytes(length);
        Write(files, "a", bytes, offset);
        Assert.Equal(bytes, Read(files, "a", length, offset));
    }

    [Fact]
    public void Buffered_and_unbuffered_transfers_of_one_file_agree()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        byte[] bytes = Bytes((256 << 10) + 100);
        using (StoreFile file = files.Create("a"))
        {
            WriteTo(file, bytes.AsSpan(0, 100), 0);                      // buffered, dirty in the cache
            WriteTo(file, bytes.AsSpan(0, 128 << 10), 0);                // over it, unbuffered
            WriteTo(file, bytes.AsSpan(128 << 10), 128 << 10);           // buffered: not whole sectors
            file.Sync();
        }

        Assert.Equal(bytes, Read(files, "a", bytes.Length, 0));
    }

    [Fact]
    public void A_file_that_is_created_again_is_empty()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        Write(files, "a", Bytes(100), 0);
        Write(files, "a", Bytes(10), 0);
        using StoreFile file = files.Open("a");
        Assert.Equal(10, file.Length);
    }

    [Fact]
    public void A_read_beyond_the_end_is_damage_with_its_place()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        Write(files, "a", Bytes(100), 0);
        var error = Assert.Throws<DamagedDataException>(() => Read(files, "a", 101, 0));
        Assert.Equal((Path.Combine(_folder.Path, "a"), 100), (error.Path, error.Offset));
    }

    [Fact]
    public void A_missing_file_is_damage_with_its_name()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        var error = Assert.Throws<DamagedDataException>(() => files.Open("nothing"));
        Assert.Equal(Path.Combine(_folder.Path, "nothing"), error.Path);
        files.Delete("nothing");
    }

    [Fact]
    public void A_renamed_file_replaces_and_a_deleted_one_is_gone()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        Write(files, "a", Bytes(1), 0);
        Write(files, "b", Bytes(2), 0);
        Write(files, "c", Bytes(3), 0);
        files.Rename("a", "b");
        files.Delete("c");
        files.SyncNames();
        Assert.Equal(["b", "store.lock"], files.List().Order());
        Assert.Single(Read(files, "b", 1, 0));
    }

    [Fact]
    public void Short_reads_are_completed()
    {
        var calls = new FakeFileCalls { ReadAtMost = 1000 };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
        byte[] bytes = Bytes(100_000);
        Write(files, "a", bytes, 0);
        Assert.Equal(bytes, Read(files, "a", bytes.Length, 0));
    }

    [Fact]
    public void A_file_system_that_refuses_unbuffered_transfers_gets_others()
    {
        var calls = new FakeFileCalls { OnSetUnbuffered = _ => DeviceErrors.InvalidArgument };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        byte[] bytes = Bytes(128 << 10);
        Write(files, "a", bytes, 0);
        Assert.Equal(bytes, Read(files, "a", bytes.Length, 0));
    }

    [UnixFact("the cache is passed by another way")]
    public void A_transfer_that_is_refused_unbuffered_goes_through_the_cache()
    {
        int refusals = 0;
        var calls = new FakeFileCalls
        {
            OnTransfer = () =>
            {
                if (refusals++ == 0) throw new IOException("invalid argument", DeviceErrors.InvalidArgument);
            },
        };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        using StoreFile file = files.Create("a");
        WriteTo(file, Bytes(128 << 10), 0);
        Assert.Equal(2, refusals);
        Assert.Equal(128 << 10, file.Length);
    }

    [Fact]
    public void A_full_disk_is_an_error_that_may_be_retried()
    {
        var calls = new FakeFileCalls { OnTransfer = () => throw new IOException("no space", 28) };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        var error = Assert.Throws<StorageException>(() => Write(files, "a", Bytes(10), 0));
        Assert.True(error.MayRetry);
        Assert.Contains("disk is full", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_failed_sync_is_final()
    {
        int error = 5;
        var calls = new FakeFileCalls { OnSync = () => error };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        using StoreFile file = files.Create("a");
        Assert.False(Assert.Throws<StorageException>(file.Sync).MayRetry);
        error = 0;
        Assert.Throws<StorageException>(file.Sync);
        Assert.Equal(1, calls.Syncs);
    }

    [Fact]
    public void A_failed_sync_of_the_names_is_final()
    {
        int error = 5;
        var calls = new FakeFileCalls { OnSyncFolder = _ => error };
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        Assert.Throws<StorageException>(files.SyncNames);
        error = 0;
        Assert.Throws<StorageException>(files.SyncNames);
        Assert.Single(calls.FoldersSynced);
    }

    [Fact]
    public void The_folders_above_are_synced_once()
    {
        string folder = Path.Combine(_folder.Path, "x", "y");
        var calls = new FakeFileCalls();
        using FolderFiles files = FolderFiles.OpenFolder(folder, unbuffered: true, calls);
        files.SyncNames();
        string[] above = [folder, Path.GetDirectoryName(folder)!, _folder.Path, Path.GetDirectoryName(_folder.Path)!];
        Assert.Equal(above, calls.FoldersSynced.Take(4));
        calls.FoldersSynced.Clear();
        files.SyncNames();
        Assert.Equal([folder], calls.FoldersSynced);
    }

    [Fact]
    public void A_folder_above_that_is_not_ours_may_refuse_but_one_that_was_made_may_not()
    {
        Directory.CreateDirectory(_folder.Path);
        string folder = Path.Combine(_folder.Path, "x", "y");
        string above = Path.GetDirectoryName(_folder.Path)!;
        var calls = new FakeFileCalls { OnSyncFolder = path => path == above ? 13 : 0 };
        using (FolderFiles files = FolderFiles.OpenFolder(folder, unbuffered: true, calls)) files.SyncNames();
        folder = Path.Combine(_folder.Path, "z", "y");
        calls = new FakeFileCalls { OnSyncFolder = path => path == _folder.Path ? 13 : 0 };
        using (FolderFiles files = FolderFiles.OpenFolder(folder, unbuffered: true, calls))
            Assert.Throws<StorageException>(files.SyncNames);
    }

    [Fact]
    public void A_second_opener_is_refused_until_the_first_has_closed()
    {
        using (FolderFiles.OpenFolder(_folder.Path))
        {
            var error = Assert.Throws<StoreOpenException>(() => FolderFiles.OpenFolder(_folder.Path));
            Assert.Contains("open already", error.Message, StringComparison.Ordinal);
        }

        FolderFiles.OpenFolder(_folder.Path).Dispose();
    }

    [Fact]
    public void A_closed_folder_is_free_at_once()
    {
        string path = Path.Combine(_folder.Path, FolderLock.FileName);
        for (int i = 0; i < 50; i++)
        {
            using (FolderFiles files = FolderFiles.OpenFolder(_folder.Path))
            using (files.OpenLog(StoreFileNames.MainLog, 64 << 10, unbuffered: true)) { }

            File.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
        }
    }

    [RingFact]
    public void Where_the_kernel_does_not_hold_the_lock_blocking_calls_are_used()
    {
        var calls = new FakeFileCalls();
        calls.Rings!.RefuseHold = 24;
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        using var log = (SegmentedFileDevice)files.OpenLog(StoreFileNames.MainLog, 64 << 10, unbuffered: true);
        Assert.Equal(IOMode.RandomAccess, log.IOMode);
    }

    [Fact]
    public void A_file_is_no_folder()
    {
        Directory.CreateDirectory(_folder.Path);
        string file = Path.Combine(_folder.Path, "file");
        File.WriteAllBytes(file, []);
        var error = Assert.Throws<StoreOpenException>(() => FolderFiles.OpenFolder(file));
        Assert.Contains("is a file", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_log_lies_in_the_folder()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        using Device log = files.OpenLog(StoreFileNames.MainLog, 64 << 10, unbuffered: true);
        Assert.Equal(Path.Combine(_folder.Path, "log.000000000001"), log.Locate(70_000).Place);
    }

    private static byte[] Bytes(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        return bytes;
    }

    private static void Write(StoreFiles files, string name, byte[] bytes, long offset)
    {
        using StoreFile file = files.Create(name);
        WriteTo(file, bytes, offset);
        file.Sync();
    }

    private static void WriteTo(StoreFile file, ReadOnlySpan<byte> bytes, long offset)
    {
        byte* memory = (byte*)NativeMemory.AlignedAlloc((nuint)bytes.Length, 4096);
        try
        {
            bytes.CopyTo(new Span<byte>(memory, bytes.Length));
            file.Write(memory, bytes.Length, offset);
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }

    private static byte[] Read(StoreFiles files, string name, int length, long offset)
    {
        using StoreFile file = files.Open(name);
        byte* memory = (byte*)NativeMemory.AlignedAlloc((nuint)length, 4096);
        try
        {
            file.Read(memory, length, offset);
            return new Span<byte>(memory, length).ToArray();
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }
}
