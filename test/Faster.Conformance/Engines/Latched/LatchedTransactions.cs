using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with transactions that are done when they return.</summary>
public sealed class LatchedTransactions : ITransactionEngine
{
    /// <inheritdoc/>
    public static async ValueTask<Accounts.IStore> OpenAccountsAsync() => await Accounts.OpenAsync();

    /// <inheritdoc/>
    public static async ValueTask<Documents.IStore> OpenDocumentsAsync() => await Documents.OpenAsync();

    /// <inheritdoc/>
    public static async ValueTask<Notes.IStore> OpenNotesAsync() => await Notes.OpenAsync();
}

public sealed class LatchedTransactionSteps : TransactionSteps<LatchedTransactions>;

public sealed class LatchedTransactionCodecs : TransactionCodecs<LatchedTransactions>;

public sealed class LatchedTransactionModels : TransactionModels<LatchedTransactions>;

public sealed class LatchedBankTransfers : BankTransfers<LatchedTransactions>;
