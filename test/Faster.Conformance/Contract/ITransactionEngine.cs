using Faster.Conformance.Engines.Kinds;

namespace Faster.Conformance.Contract;

/// <summary>An engine with transactions, whose stores the suites of transactions can open.</summary>
public interface ITransactionEngine
{
    /// <summary>Opens an empty store of balances.</summary>
    static abstract ValueTask<Accounts.IStore> OpenAccountsAsync();

    /// <summary>Opens an empty store of objects.</summary>
    static abstract ValueTask<Documents.IStore> OpenDocumentsAsync();

    /// <summary>Opens an empty store of bytes.</summary>
    static abstract ValueTask<Notes.IStore> OpenNotesAsync();
}
