namespace Faster.Crash.Swarm;

/// <summary>The sort of promise that was broken.</summary>
internal enum SwarmFault
{
    /// <summary>A commit does not hold what it must, by a scan as of it.</summary>
    CommittedState,

    /// <summary>A recovered store does not hold what it must.</summary>
    RecoveredState,

    /// <summary>The open store does not hold what was done in it.</summary>
    LiveState,

    /// <summary>A commit point does not cover what was issued before the commit was requested, or went back.</summary>
    StalePoint,

    /// <summary>A session that was started again does not know its point in a later commit.</summary>
    StaleLastCommit,

    /// <summary>What a recovery has excluded is no longer listed, though it was not issued again.</summary>
    LostExclusion,

    /// <summary>A store cannot be opened with the options with which it was committed.</summary>
    OpenRefused,

    /// <summary>A call fails although nothing is wrong with disk or memory.</summary>
    FailedCall,

    /// <summary>A call does not end.</summary>
    Hang,
}

/// <summary>A promise that the store has broken.</summary>
internal sealed class SwarmViolation(SwarmFault fault, string message, Exception? inner = null)
    : Exception(message, inner)
{
    /// <summary>The promise.</summary>
    public SwarmFault Fault => fault;
}
