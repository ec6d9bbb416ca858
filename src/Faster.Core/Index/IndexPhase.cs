namespace Faster.Index;

/// <summary>The phases of growing and of shrinking (paper 000, App. B).</summary>
internal enum IndexPhase
{
    /// <summary>One table; operations go straight to it.</summary>
    Stable,

    /// <summary>
    /// A resize is announced, but some operations may not know yet: those who do pin the chunk they work on.
    /// </summary>
    Prepare,

    /// <summary>Everybody knows: chunks are split or merged one by one, and operations work on the new table.</summary>
    Resizing,
}
