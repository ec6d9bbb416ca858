namespace Faster;

/// <summary>Specifies the position of pending operations in the order of their session (paper 004 §5.2).</summary>
public enum PendingOrder
{
    /// <summary>
    /// At the point where they were issued. A commit waits for those before its commit point, which is an exact prefix.
    /// </summary>
    Strict,

    /// <summary>
    /// At the point where they are continued. A commit waits for none, and its commit points list the excluded ones.
    /// </summary>
    Relaxed,
}
