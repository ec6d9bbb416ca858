using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Testing;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional.Redo;

/// <summary>A folder with a transactional store that has a redo log, which can be looked at as after a kill.</summary>
internal sealed class LoggedFolder : IDisposable
{
    /// <summary>Small, and without a last commit.</summary>
    public static readonly TransactionalOptions Each = new()
    {
        MemoryBudget = ByteSize.MiB(4), Durability = Durability.EachOperation, OperationLogSize = ByteSize.KiB(64),
        CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new();
    private int _kills;

    /// <summary>Where the store is.</summary>
    public string StorePath => Path.Combine(_folder.Path, "store");

    /// <summary>Opens the store.</summary>
    public TransactionalStore Open(TransactionalOptions? options = null, RecordSchema? schema = null) =>
        OpenAt(StorePath, options, schema);

    /// <summary>Opens what a process would find that was started after this one is killed.</summary>
    public TransactionalStore OpenKilled(TransactionalOptions? options = null, RecordSchema? schema = null) =>
        OpenAt(Copy(), options, schema);

    /// <summary>What a kill would leave.</summary>
    public string Copy() => FolderCopy.AtOneMoment(StorePath, () =>
        Directory.CreateDirectory(Path.Combine(_folder.Path, $"killed-{_kills++}")).FullName);

    /// <summary>Opens a store.</summary>
    public static TransactionalStore OpenAt(
        string path, TransactionalOptions? options = null, RecordSchema? schema = null) =>
        TransactionalStore.OpenAsync(path, options ?? Each, schema ?? TransactionCalls.Schema, default)
            .AsTask().GetAwaiter().GetResult();

    public void Dispose() => _folder.Dispose();
}
