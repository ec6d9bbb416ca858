namespace Faster.Testing;

/// <summary>The kind of calls of a <see cref="FaultDevice"/> that a fault hits.</summary>
public enum FaultTarget
{
    /// <summary>Read requests.</summary>
    Read,

    /// <summary>Write requests.</summary>
    Write,

    /// <summary>Syncs.</summary>
    Sync,
}
