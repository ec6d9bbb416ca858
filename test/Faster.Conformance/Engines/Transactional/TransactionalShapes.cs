using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.Transactional;

/// <summary>The configurations of the transactional store.</summary>
internal static class TransactionalShapes
{
    private static readonly ByteSize Budget = ByteSize.MiB(64);

    private const string OnFiles = "on files", Logged = "with a redo log";

    private static readonly TransactionalOptions EachDurable = new()
    {
        MemoryBudget = Budget, CommitOnDispose = false, Durability = Durability.EachOperation,
        OperationLogSize = ByteSize.KiB(256),
    };

    private static readonly Dictionary<string, TransactionalOptions> Known = new()
    {
        ["reads without locks"] = new() { MemoryBudget = Budget },
        ["reads that lock"] = new() { MemoryBudget = Budget, ReadsLock = true },
        [OnFiles] = new() { MemoryBudget = Budget },
        [Logged] = new() { MemoryBudget = Budget, Durability = Durability.Periodic },
    };

    private static readonly Dictionary<string, TransactionalOptions> KnownDurable = new()
    {
        ["reopened"] = new() { MemoryBudget = Budget, CommitOnDispose = false },
        ["reopened, reads that lock"] = new() { MemoryBudget = Budget, CommitOnDispose = false, ReadsLock = true },
        ["reopened, with a commit log"] = new()
        {
            MemoryBudget = Budget, CommitOnDispose = false, CommitAlgorithm = CommitAlgorithm.Calc,
        },
        ["reopened, each transaction durable"] = EachDurable,
        ["reopened, each transaction durable, with a commit log"] = EachDurable with
        {
            CommitAlgorithm = CommitAlgorithm.Calc,
        },
    };

    /// <summary>All shapes.</summary>
    public static IReadOnlyList<EngineShape> All { get; } =
    [
        .. Known.Select(static known => new EngineShape(
            known.Key, Budget, Spills: false, IsTypical: known.Key is not OnFiles)),
    ];

    /// <summary>The shapes that are closed without a commit, and opened again: far below their memory.</summary>
    public static IReadOnlyList<EngineShape> Durable { get; } =
    [
        .. KnownDurable.Select(static known => new EngineShape(known.Key, ByteSize.MiB(1), Spills: false)
        {
            IsEachDurable = known.Value.Durability == Durability.EachOperation, HoldsUpAfterUnits = true,
        }),
    ];

    /// <summary>A shape's options.</summary>
    public static TransactionalOptions OptionsOf(EngineShape shape) =>
        Known.GetValueOrDefault(shape.Name) ?? KnownDurable[shape.Name];

    /// <summary>Where a store of a shape lives: its folder, or memory.</summary>
    public static string? PathOf(EngineShape shape, string folder) =>
        shape.Name is OnFiles or Logged || KnownDurable.ContainsKey(shape.Name) ? folder : null;
}
