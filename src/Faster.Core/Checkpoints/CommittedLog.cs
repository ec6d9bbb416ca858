using Faster.Devices.Blocks;
using Faster.Log;

namespace Faster.Checkpoints;

/// <summary>What recovery must know of one log of a commit (docs/formats/commit.md).</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Begin ≤ FlushedUntil ≤ End.</item>
/// <item>Start ≤ End.</item>
/// <item>FlushedUntil and End are multiples of a sector.</item>
/// </list>
/// <para>Immutable; thread-safe.</para>
/// </remarks>
internal sealed record CommittedLog
{
    /// <summary>The name of the part whose log operations write: of the only log, or of the hot tier.</summary>
    public const string Main = "main";

    /// <summary>The log's begin address: the lowest valid one.</summary>
    public required long BeginAddress { get; init; }

    /// <summary>Below this address the log's own file holds the records; from it on, the snapshots do.</summary>
    public required long FlushedUntilAddress { get; init; }

    /// <summary>Lh_s: no record of version v + 1 lies below this address.</summary>
    public required long StartAddress { get; init; }

    /// <summary>Lh_e: no record of version v lies at or above this address. It is the recovered tail.</summary>
    public required long EndAddress { get; init; }

    /// <summary>A whole snapshot and the increments over it, oldest first; empty after a fold-over.</summary>
    public IReadOnlyList<FileReference> Snapshots { get; init; } = [];

    /// <summary>Which incarnation wrote which part of the log, ascending; the first begins at address 0.</summary>
    public required IReadOnlyList<Incarnation> Incarnations { get; init; }

    /// <summary>The ranges of records on the log that no commit covers, ascending. Reads skip these records.</summary>
    public IReadOnlyList<DiscardedRange> Discarded { get; init; } = [];

    /// <summary>Known ages of addresses of the log, ascending.</summary>
    public IReadOnlyList<LogAge> Ages { get; init; } = [];
}
