namespace Faster.Benchmarks.Engines;

/// <summary>The engines that this program can run; the peer FASTER C# has a program of its own.</summary>
internal enum EngineKind
{
    /// <summary><see cref="System.Collections.Concurrent.ConcurrentDictionary{TKey,TValue}"/>.</summary>
    Dictionary,
}
