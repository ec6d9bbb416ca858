namespace Faster;

/// <summary>A store of any class whose engine commits. Its bodies are those of a fake.</summary>
/// <remarks>Thread-safe.</remarks>
public interface ICommittingStore : IStore
{
    /// <inheritdoc cref="Store.LogStore.Committed"/>
    event Action<Commit>? Committed
    {
        add { }
        remove { }
    }

    /// <inheritdoc cref="Store.LogStore.Recovery"/>
    RecoveryReport? Recovery => null;

    /// <inheritdoc cref="Store.LogStore.CommitAsync"/>
    Task<Commit> CommitAsync(CancellationToken cancellationToken = default) =>
        throw new NotSupportedException("The store has no folder.");

    /// <inheritdoc cref="Store.LogStore.ForgetSession"/>
    bool ForgetSession(string name) => false;
}
