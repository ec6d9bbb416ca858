namespace Faster.Engines.Bullet.Back;

/// <summary>What became of a change in a batch.</summary>
internal enum BackChange
{
    /// <summary>It is in the batch.</summary>
    Applied,

    /// <summary>The back has this change of the key, or a later one.</summary>
    Older,

    /// <summary>The batch is full: it must be committed first.</summary>
    Full,
}
