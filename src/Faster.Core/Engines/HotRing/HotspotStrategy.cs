namespace Faster;

/// <summary>Specifies how a HotRing store finds the hottest record of a ring (paper 002 §3.2).</summary>
public enum HotspotStrategy
{
    /// <summary>
    /// Counts the accesses to the records of a ring for a short time, and moves the head to where the ring's accesses
    /// are shortest on average (§3.2.2). More exact, and slower to react.
    /// </summary>
    StatisticalSampling,

    /// <summary>Moves the head to a record that was just read (§3.2.1). Reacts at once, and is less exact.</summary>
    RandomMovement,
}
