namespace Faster;

/// <summary>Which records a scan gives.</summary>
public enum ScanScope
{
    /// <summary>The newest record of each key that is not deleted, in no particular order.</summary>
    Live,

    /// <summary>Every record of the log in its order: superseded ones and tombstones too.</summary>
    All,
}
