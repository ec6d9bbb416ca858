using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Conformance.Suites;

namespace Faster.Conformance.Engines.Latched;

/// <summary>The latched engine with transactions whose awaiting callers hear of them later.</summary>
public sealed class LaterTransactions : ITransactionEngine
{
    private static readonly LatchedOptions _options = new() { CompletesLater = true };

    /// <inheritdoc/>
    public static async ValueTask<Accounts.IStore> OpenAccountsAsync() => await Accounts.OpenAsync(_options);

    /// <inheritdoc/>
    public static async ValueTask<Documents.IStore> OpenDocumentsAsync() => await Documents.OpenAsync(_options);

    /// <inheritdoc/>
    public static async ValueTask<Notes.IStore> OpenNotesAsync() => await Notes.OpenAsync(_options);
}

public sealed class LaterTransactionSteps : TransactionSteps<LaterTransactions>;

public sealed class LaterTransactionCodecs : TransactionCodecs<LaterTransactions>;

public sealed class LaterTransactionModels : TransactionModels<LaterTransactions>;

public sealed class LaterBankTransfers : BankTransfers<LaterTransactions>;
