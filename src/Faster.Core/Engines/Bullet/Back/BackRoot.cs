using Faster.OperationLogs;

namespace Faster.Engines.Bullet.Back;

/// <summary>What the engine keeps in the region beside the parts. Immutable.</summary>
/// <param name="Round">The number of the round of gleaning.</param>
/// <param name="Life">The number of the store's life.</param>
/// <param name="Heads">Where the scan of each operation log begins.</param>
internal sealed record BackRoot(long Round, long Life, IReadOnlyList<LogMark> Heads)
{
    /// <summary>That of a new region.</summary>
    public static BackRoot Empty { get; } = new(0, 0, []);
}
