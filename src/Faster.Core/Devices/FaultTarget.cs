namespace Faster;

/// <summary>Which call of a <see cref="FaultDevice"/> a fault strikes.</summary>
public enum FaultTarget
{
    /// <summary>Reads.</summary>
    Read,

    /// <summary>Writes.</summary>
    Write,

    /// <summary>Syncs.</summary>
    Sync,
}
