namespace Faster.Crash.Swarm;

/// <summary>What sort of promise was broken.</summary>
internal enum SwarmFault
{
    /// <summary>A commit does not hold what it must, by a scan as of it.</summary>
    CommittedState,

    /// <summary>A recovered store does not hold what it must.</summary>
    RecoveredState,

    /// <summary>The open store does not hold what was done in it.</summary>
    LiveState,

    /// <summary>A commit point does not cover what was issued before the commit was asked for, or went back.</summary>
    StalePoint,

    /// <summary>A session that was started again does not know its point in a later commit.</summary>
    StaleLastCommit,

    /// <summary>What a recovery has left out is no longer listed, though it was not issued again.</summary>
    LostExclusion,

    /// <summary>A store can't be opened with the options that it was committed with.</summary>
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
    /// <summary>Which.</summary>
    public SwarmFault Fault => fault;
}
