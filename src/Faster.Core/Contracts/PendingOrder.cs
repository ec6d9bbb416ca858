namespace Faster;

/// <summary>Where operations that wait for the disk stand in the order of their session (paper 004 §5.2).</summary>
public enum PendingOrder
{
    /// <summary>
    /// Where they were issued: a commit waits for those before its commit point, which is an exact prefix.
    /// </summary>
    Strict,

    /// <summary>
    /// Where they are continued: a commit waits for none, and its commit points list those that it leaves out.
    /// </summary>
    Relaxed,
}
