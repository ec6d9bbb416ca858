namespace Faster.Engines;

/// <summary>The engines that this program can run; the peer FASTER C# has a program of its own.</summary>
internal enum EngineKind
{
    /// <summary>A generated store, one call a key.</summary>
    Store,

    /// <summary>A generated store, calls over spans of keys.</summary>
    Batch,

    /// <summary><see cref="System.Collections.Concurrent.ConcurrentDictionary{TKey,TValue}"/>.</summary>
    Dictionary,
}
