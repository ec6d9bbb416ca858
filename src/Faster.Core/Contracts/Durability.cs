namespace Faster;

/// <summary>When what a store has acknowledged is durable.</summary>
public enum Durability
{
    /// <summary>
    /// With the next commit (paper 004): operations run at the speed of memory, and what was done since the last commit
    /// is lost by a crash.
    /// </summary>
    Commits,

    /// <summary>
    /// At once (paper 001 §2.3): each operation is in a log on the disk before it is acknowledged. One sync serves all
    /// operations that wait for it, so throughput grows with their number.
    /// </summary>
    EachOperation,

    /// <summary>
    /// Soon: each operation is in a log before others can see what it has done, and the log is on the disk some ten
    /// milliseconds later. Operations do not wait, and a crash loses what they have done last. For stores of the
    /// transactional engine.
    /// </summary>
    Periodic,
}
