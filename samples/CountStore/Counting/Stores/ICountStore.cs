using Faster;

namespace CountStore.Counting.Stores;

/// <summary>A store of counts with keys of one kind, on any engine.</summary>
internal interface ICountStore
{
    /// <summary>What all stores have: commits, statistics, an end.</summary>
    ICommittingStore Base { get; }

    /// <summary>Starts a session.</summary>
    /// <param name="name">Its name; null for one that no later run goes on with.</param>
    ICountSession StartSession(string? name);

    /// <inheritdoc cref="ICounter.Visit"/>
    void Visit(CountVisitor visitor);
}
