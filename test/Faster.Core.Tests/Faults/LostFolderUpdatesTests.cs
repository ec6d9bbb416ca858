using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.LogSessions;
using Faster.Stores;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>
/// The folder of a store whose every operation is durable is deleted, or replaced by a copy: nothing is acknowledged
/// any more, in no form, and what was before is in the folder that was the store's.
/// </summary>
public sealed class LostFolderUpdatesTests : IDisposable
{
    private const int Keys = 200;

    private readonly TemporaryFolder _folder = new();

    private string Moved => _folder.Path + "-moved";

    [UnixTheory("an open file keeps its folder")]
    [InlineData(false)]
    [InlineData(true)]
    public Task Nothing_is_acknowledged_where_a_copy_took_the_folders_place(bool hasTiers) => Guard.RunAsync(async () =>
    {
        await using (LogStore store = await OpenAsync(hasTiers))
        {
            await using HashSession session = store.Start("one");
            for (int key = 0; key < Keys; key++) session.Put(key, key);
            Directory.Move(_folder.Path, Moved);
            Directory.CreateDirectory(_folder.Path);
            foreach (string name in Directory.GetFiles(Moved).Select(static file => Path.GetFileName(file)))
            {
                byte[] bytes = name == FolderLock.FileName ? [] : File.ReadAllBytes(Path.Combine(Moved, name));
                File.WriteAllBytes(Path.Combine(_folder.Path, name), bytes);
            }

            Dictionary<string, byte[]> copied = Contents();
            await RefusesAllAsync(store, session);
            Assert.Equal(copied, Contents());
        }

        Directory.Delete(_folder.Path, recursive: true);
        Directory.Move(Moved, _folder.Path);
        await using LogStore again = await OpenAsync(hasTiers);
        await using HashSession continued = again.Start("one");
        Assert.InRange(continued.SerialNumber, Keys, Keys + 1); // the first that was refused may have become durable
        for (int key = 1; key < Keys; key++) Assert.Equal(key, continued.Get(key));
    });

    [UnixTheory("an open file keeps its folder")]
    [InlineData(false)]
    [InlineData(true)]
    public Task Nothing_is_acknowledged_in_a_deleted_folder(bool hasTiers) => Guard.RunAsync(async () =>
    {
        await using LogStore store = await OpenAsync(hasTiers);
        await using HashSession session = store.Start("one");
        for (int key = 0; key < Keys; key++) session.Put(key, key);
        Directory.Delete(_folder.Path, recursive: true);
        await RefusesAllAsync(store, session);
        Assert.False(Directory.Exists(_folder.Path));
    });

    public void Dispose()
    {
        _folder.Dispose();
        if (Directory.Exists(Moved)) Directory.Delete(Moved, recursive: true);
    }

    // Each form; twice, since the second finds the store poisoned. Reads go on.
    private static async Task RefusesAllAsync(LogStore store, HashSession session)
    {
        for (int i = 0; i < 2; i++)
        {
            IsFinal(Assert.Throws<StorageException>(() => session.Put(0, -1)));
            IsFinal(Assert.Throws<StorageException>(() => session.AddTo(1, 0)));
            IsFinal(Assert.Throws<StorageException>(() => session.Remove(Keys)));
            if (session is FasterSession one)
                IsFinal(await Assert.ThrowsAsync<StorageException>(() => one.AddAsync(2, 0).AsTask()));
            IsFinal(await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync()));
        }

        for (int key = 1; key < Keys; key++) Assert.Equal(key, session.Get(key));
    }

    private static void IsFinal(StorageException error)
    {
        Assert.False(error.MayRetry);
        Assert.Contains("deleted, moved or replaced", error.ToString(), StringComparison.Ordinal);
    }

    private Dictionary<string, byte[]> Contents() =>
        Directory.GetFiles(_folder.Path).ToDictionary(static file => file, File.ReadAllBytes);

    private async Task<LogStore> OpenAsync(bool hasTiers) => hasTiers
        ? await TieredStore.OpenAsync(
            _folder.Path,
            new TieredOptions
            {
                MemoryBudget = ByteSize.MiB(4), CommitOnDispose = false, Durability = Durability.EachOperation,
                OperationLogSize = ByteSize.KiB(64),
            },
            CounterOperations.Schema, default)
        : await FasterStore.OpenAsync(
            _folder.Path,
            new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(1), CommitOnDispose = false, Durability = Durability.EachOperation,
                OperationLogSize = ByteSize.KiB(64),
            },
            CounterOperations.Schema, default);
}
