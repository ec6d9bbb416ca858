namespace Faster;

/// <summary>Specifies the records that a scan returns.</summary>
public enum ScanScope
{
    /// <summary>The newest record of each key that is not deleted, in no particular order.</summary>
    Live,

    /// <summary>Every record of the log in its order, including superseded ones and tombstones.</summary>
    All,
}
