namespace Faster;

/// <summary>Specifies how a transaction ended.</summary>
/// <remarks>The analyzer reports code that ignores it (FAS103): an aborted transaction has changed nothing.</remarks>
public enum TransactionStatus
{
    /// <summary>The method has returned true, or is void: all that it has written is installed.</summary>
    Committed = 0,

    /// <summary>The method has returned false: nothing has changed.</summary>
    Aborted = 1,

    /// <summary>
    /// Other transactions held its records at each of the attempts that the store's options allow: nothing has changed,
    /// and no serial number was taken. Without such a limit no transaction ends so.
    /// </summary>
    Conflicted = 2,
}
