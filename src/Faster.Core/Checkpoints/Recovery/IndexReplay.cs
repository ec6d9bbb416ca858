namespace Faster.Checkpoints.Recovery;

/// <summary>What the records of a log mean to the hash index that recovery brings up to date with them.</summary>
internal enum IndexReplay
{
    /// <summary>There is no tier below: a tombstone that ends its chain hides nothing.</summary>
    OfOnlyTier,

    /// <summary>There is a tier below: a tombstone hides its key's records there.</summary>
    OfUpperTier,

    /// <summary>Nothing is replayed: the commit has the log's index as it was at the log's end.</summary>
    None,
}
