using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Bare;
using Faster.Ycsb.Engines.Native;

namespace Faster.Ycsb.Engines.Transactions;

/// <summary>Opens stores that run transactions.</summary>
/// <param name="name">The engine's name.</param>
/// <param name="refuses">Why it can't run here; null if it can.</param>
/// <param name="open">Opens an empty store in a folder, for a number of keys.</param>
internal sealed class TransactionSource(
    string name, Func<string?> refuses, Func<string, int, Task<ITransactionEngine>> open) : IEngineSource
{
    private const int BytesOfRecord = 80; // more than records and index take

    private static readonly WriteForm[] OwnForms = [WriteForm.Blocking, WriteForm.Awaited];
    private static readonly WriteForm[] PeerForms = [WriteForm.Blocking, WriteForm.Batches];

    /// <summary>All that this program runs itself; another way to open ours is a line here.</summary>
    public static IReadOnlyList<TransactionSource> All { get; } =
    [
        Ours("transactional", static options => options),
        Ours("transactional-calc", static options => options with { CommitAlgorithm = CommitAlgorithm.Calc }),
        Ours("transactional-wal", static options => WithLog(options, Durability.Periodic)),
        Ours("transactional-wal-sync", static options => WithLog(options, Durability.EachOperation)),
        new TransactionSource(
            BareSource.Single, static () => null,
            static (_, keys) => Task.FromResult<ITransactionEngine>(new BareAccounts(keys))),
        Peer("sqlite", "sqlite", static (folder, _) => new SqliteAccounts(folder, isDurable: false)),
        Peer("rocksdb-transactions", "rocksdb", static (folder, _) => new RocksAccounts(folder, syncs: false)),
        Peer("lmdb", "lmdb", static (folder, keys) => new LmdbAccounts(folder, keys, syncs: false)),
        DurablePeer("sqlite-full", "sqlite", static (folder, _) => new SqliteAccounts(folder, isDurable: true)),
        DurablePeer(
            "rocksdb-transactions-sync", "rocksdb", static (folder, _) => new RocksAccounts(folder, syncs: true)),
        DurablePeer("lmdb-sync", "lmdb", static (folder, keys) => new LmdbAccounts(folder, keys, syncs: true)),
    ];

    /// <summary>
    /// How clients may wait for its transactions, durable when they are acknowledged; none where they are not.
    /// </summary>
    public IReadOnlyCollection<WriteForm> Forms { get; private set; } = [];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => refuses();

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">It can't run here.</exception>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape) => Refuses(shape) is { } reason
        ? throw new NotSupportedException($"{name} can't be opened: {reason}.")
        : await open(folder, (int)shape.Keys);

    // A small log makes commits all the time.
    private static TransactionalOptions WithLog(TransactionalOptions options, Durability durability) => options with
    {
        Durability = durability, OperationLogSize = options.MemoryBudget,
        MemoryBudget = new ByteSize(2 * options.MemoryBudget.Bytes),
    };

    // Its transactions are durable, too, where its options say so of each operation.
    private static TransactionSource Ours(string name, Func<TransactionalOptions, TransactionalOptions> how)
    {
        TransactionalOptions OptionsFor(int keys) => how(new TransactionalOptions
        {
            ExpectedKeys = keys, MemoryBudget = new ByteSize(((long)keys * BytesOfRecord) + (64 << 20)),
        });
        return new TransactionSource(
            name, static () => null, (folder, keys) => AccountsEngine.OpenAsync(folder, OptionsFor(keys)))
        {
            Forms = OptionsFor(1).Durability == Durability.EachOperation ? OwnForms : [],
        };
    }

    private static TransactionSource Peer(
        string name, string library, Func<string, int, ITransactionEngine> open) => new(
        name,
        () => NativeSource.All.Single(source => source.Name == library)
            .Refuses(new EngineShape(1, sizeof(long), null)),
        (folder, keys) => Task.FromResult(open(folder, keys)));

    private static TransactionSource DurablePeer(
        string name, string library, Func<string, int, ITransactionEngine> open)
    {
        TransactionSource source = Peer(name, library, open);
        source.Forms = PeerForms;
        return source;
    }
}
