namespace Faster.MemoryProbe;

/// <summary>A stream of updates of one store.</summary>
internal interface IWork : IAsyncDisposable
{
    /// <summary>How much the store has written to disk, and what it holds.</summary>
    StoreStatistics Statistics { get; }

    /// <summary>Makes some updates, a part of which reads from disk first, and ends all of them.</summary>
    void Step();
}
