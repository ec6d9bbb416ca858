namespace Faster;

/// <summary>How a transaction ended, and its output.</summary>
/// <typeparam name="TOutput">The output's type.</typeparam>
/// <param name="Status">How it ended.</param>
/// <param name="Value">
/// The output of the run that committed or aborted; the type's default if the transaction conflicted.
/// </param>
public readonly record struct TransactionResult<TOutput>(TransactionStatus Status, TOutput Value)
{
    /// <summary>Whether the transaction was committed.</summary>
    public bool IsCommitted => Status == TransactionStatus.Committed;
}
