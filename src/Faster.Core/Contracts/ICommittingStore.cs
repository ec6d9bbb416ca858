namespace Faster;

/// <summary>A store of any class whose engine commits. Its bodies are those of a fake.</summary>
/// <remarks>Thread-safe.</remarks>
public interface ICommittingStore : IStore
{
    /// <inheritdoc cref="Stores.CommittingStore.Committed"/>
    event Action<Commit>? Committed
    {
        add { }
        remove { }
    }

    /// <inheritdoc cref="Stores.CommittingStore.Recovery"/>
    RecoveryReport? Recovery => null;

    /// <inheritdoc cref="Stores.LogStore.CommitAsync"/>
    Task<Commit> CommitAsync(CancellationToken cancellationToken = default) =>
        throw new NotSupportedException("The store has no folder.");

    /// <inheritdoc cref="Stores.CommittingStore.ForgetSession"/>
    bool ForgetSession(string name) => false;
}
