using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Operations.Journaling;

/// <summary>A folder with a store whose every operation is durable, which can be looked at as after a kill.</summary>
internal sealed class DurableFolder(RecordSchema schema) : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private int _kills;

    /// <summary>The options: small logs.</summary>
    public StoreOptions Options { get; init; } = new()
    {
        MemoryBudget = ByteSize.MiB(2), Durability = Durability.EachOperation, CommitOnDispose = false,
    };

    /// <summary>Opens the store.</summary>
    public FasterStore Open(StoreOptions? options = null) => OpenAt(StorePath, options);

    /// <summary>Where the store is.</summary>
    public string StorePath => Path.Combine(_folder.Path, "store");

    /// <summary>Opens what a process would find that was started after this one is killed.</summary>
    /// <param name="options">Other options.</param>
    /// <param name="damage">Changes the folder before.</param>
    public FasterStore OpenKilled(StoreOptions? options = null, Action<string>? damage = null)
    {
        string to = FolderCopy.AtOneMoment(StorePath, NewFolder);
        damage?.Invoke(to);
        return OpenAt(to, options);
    }

    public void Dispose() => _folder.Dispose();

    private string NewFolder() =>
        Directory.CreateDirectory(Path.Combine(_folder.Path, $"killed-{_kills++}")).FullName;

    private FasterStore OpenAt(string path, StoreOptions? options) =>
        FasterStore.OpenAsync(path, options ?? Options, schema, default).AsTask().GetAwaiter().GetResult();
}
