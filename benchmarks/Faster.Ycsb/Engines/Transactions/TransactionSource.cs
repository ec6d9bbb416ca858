using Faster.Workload;
using Faster.Workload.Experiments.Transactions;
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

    /// <summary>All that this program runs itself; another way to open ours is a line here.</summary>
    public static IReadOnlyList<IEngineSource> All { get; } =
    [
        Ours("transactional", static options => options),
        Ours("transactional-calc", static options => options with { CommitAlgorithm = CommitAlgorithm.Calc }),
        Ours("transactional-wal", static options => options with
        {
            Durability = Durability.Periodic, OperationLogSize = options.MemoryBudget,
            MemoryBudget = new ByteSize(2 * options.MemoryBudget.Bytes), // a small log makes commits all the time
        }),
        new TransactionSource(
            BareSource.Single, static () => null,
            static (_, keys) => Task.FromResult<ITransactionEngine>(new BareAccounts(keys))),
        Sqlite("sqlite", isDurable: false),
        Sqlite("sqlite-full", isDurable: true),
        Rocks("rocksdb-transactions", syncs: false),
        Rocks("rocksdb-transactions-sync", syncs: true),
    ];

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape) => refuses();

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape) => await open(folder, (int)shape.Keys);

    private static TransactionSource Ours(string name, Func<TransactionalOptions, TransactionalOptions> how) => new(
        name, static () => null,
        async (folder, keys) => new AccountsEngine(await Accounts.OpenAsync(folder, how(new TransactionalOptions
        {
            ExpectedKeys = keys, MemoryBudget = new ByteSize(((long)keys * BytesOfRecord) + (64 << 20)),
        }))));

    private static TransactionSource Sqlite(string name, bool isDurable) => new(
        name,
        static () => Refusal("sqlite"),
        (folder, _) => Task.FromResult<ITransactionEngine>(new SqliteAccounts(folder, isDurable)));

    private static TransactionSource Rocks(string name, bool syncs) => new(
        name,
        static () => Refusal("rocksdb"),
        (folder, _) => Task.FromResult<ITransactionEngine>(new RocksAccounts(folder, syncs)));

    private static string? Refusal(string peer) =>
        NativeSource.All.Single(source => source.Name == peer).Refuses(new EngineShape(1, sizeof(long), null));
}
