using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Devices.Folders;

/// <summary>What is said when a folder can't be locked, and when it is not there any more.</summary>
public sealed class FolderLockTests : IDisposable
{
    private readonly TemporaryFolder _folder = new(onDisk: true);

    public static TheoryData<Exception, string> Refusals => new()
    {
        { new UnauthorizedAccessException("Access to the path is denied."), "not writable" },
        { new IOException("Read-only file system", 30), "read-only file system" },
        { new IOException("Input/output error", 5), "Input/output error" },
        { new IOException("Too many open files", 24), "Too many open files" },
    };

    [Theory, MemberData(nameof(Refusals))]
    public void Each_refusal_is_told_as_it_is_and_at_once(Exception refusal, string words)
    {
        int tries = 0;
        var calls = new FakeFileCalls
        {
            OnLock = () =>
            {
                tries++;
                throw refusal;
            },
        };
        var error = Assert.Throws<StoreOpenException>(
            () => FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls));
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
        Assert.Contains(_folder.Path, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("open already", error.Message, StringComparison.Ordinal);
        Assert.Same(refusal, error.InnerException);
        Assert.Equal(1, tries);
    }

    [UnixTheory("an open file is its own lock")]
    [InlineData(1)]  // EPERM
    [InlineData(22)] // EINVAL
    [InlineData(37)] // ENOLCK
    [InlineData(38)] // ENOSYS
    [InlineData(95)] // EOPNOTSUPP
    public void Without_locks_no_folder_is_opened_and_it_is_said_what_to_do(int error)
    {
        var calls = new FakeFileCalls { OnFlock = () => error };
        string refusal = Assert.Throws<StoreOpenException>(
            () => FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls)).Message;
        Assert.Contains($"'{_folder.Path}' can't be locked", refusal, StringComparison.Ordinal);
        Assert.Contains($"(error {error})", refusal, StringComparison.Ordinal);
        Assert.Contains("Use a file system that has locks", refusal, StringComparison.Ordinal);
        FolderFiles.OpenFolder(_folder.Path).Dispose(); // nothing is left locked
    }

    [UnixFact("an open file keeps its lock")]
    public void A_folder_whose_lock_another_process_has_got_is_not_changed_any_more()
    {
        int answer = 0;
        var calls = new FakeFileCalls();
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        calls.OnFlock = () => answer;
        files.Create("a").Dispose();
        answer = DeviceErrors.WouldBlock;
        foreach (Action change in (Action[])
            [() => files.Create("b"), () => files.Delete("a"), () => files.Rename("a", "b"), files.SyncNames])
        {
            var error = Assert.Throws<StorageException>(change);
            Assert.Contains("locked by another process", error.Message, StringComparison.Ordinal);
            Assert.False(error.MayRetry);
        }

        Assert.Equal(["a", "store.lock"], files.List().Order());
    }

    [Fact]
    public void A_lock_that_is_held_is_told_so_and_nothing_else()
    {
        using FolderFiles first = FolderFiles.OpenFolder(_folder.Path);
        var error = Assert.Throws<StoreOpenException>(() => FolderFiles.OpenFolder(_folder.Path));
        Assert.Contains("open already", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("try again when its writes have ended.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_folder_that_stays_is_no_other()
    {
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        files.Create("a").Dispose();
        files.SyncNames();
        files.Delete("a");
    }

    [UnixFact("an open file keeps its folder")]
    public void In_a_folder_that_took_the_place_of_the_opened_one_nothing_is_changed()
    {
        string moved = _folder.Path + "-moved";
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path);
        files.Create("a").Dispose();
        Directory.Move(_folder.Path, moved);
        try
        {
            Gone(() => files.Create("b"));
            Directory.CreateDirectory(_folder.Path);
            Gone(files.SyncNames);
            using FolderFiles other = FolderFiles.OpenFolder(_folder.Path); // with a lock of its own
            other.Create("a").Dispose();
            Gone(() => files.Create("b"));
            Gone(() => files.Delete("a"));
            Gone(() => files.Rename("a", "b"));
            Assert.Equal(["a", "store.lock"], other.List().Order());
        }
        finally
        {
            Directory.Delete(moved, recursive: true);
        }
    }

    public void Dispose() => _folder.Dispose();

    private static void Gone(Action change)
    {
        var error = Assert.Throws<StorageException>(change);
        Assert.Contains("deleted, moved or replaced", error.Message, StringComparison.Ordinal);
        Assert.False(error.MayRetry);
    }
}
