using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Transactional;

/// <summary>The transactional engine with transactions of each kind.</summary>
public sealed class TransactionalTransactions : ITransactionEngine
{
    /// <inheritdoc/>
    public static async ValueTask<Accounts.IStore> OpenAccountsAsync() =>
        await Accounts.TransactionalStore.OpenAsync(null);

    /// <inheritdoc/>
    public static async ValueTask<Documents.IStore> OpenDocumentsAsync() =>
        await Documents.TransactionalStore.OpenAsync(null);

    /// <inheritdoc/>
    public static async ValueTask<Notes.IStore> OpenNotesAsync() => await Notes.TransactionalStore.OpenAsync(null);
}

public sealed class TransactionalTransactionSteps : TransactionSteps<TransactionalTransactions>;

public sealed class TransactionalTransactionCodecs : TransactionCodecs<TransactionalTransactions>;

public sealed class TransactionalTransactionModels : TransactionModels<TransactionalTransactions>;

public sealed class TransactionalBankTransfers : BankTransfers<TransactionalTransactions>;
