namespace Faster.Index;

/// <summary>The phases of a resize (paper 000, App. B).</summary>
internal enum IndexPhase
{
    /// <summary>One table; operations access it directly.</summary>
    Stable,

    /// <summary>
    /// A resize is announced, but some operations may not know yet: those that do pin the chunk that they use.
    /// </summary>
    Prepare,

    /// <summary>All operations know: chunks are split or joined one by one, and operations use the new table.</summary>
    Resizing,
}
