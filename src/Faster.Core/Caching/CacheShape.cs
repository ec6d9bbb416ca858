using Faster.Log;

namespace Faster.Caching;

/// <summary>The memory layout of a read cache.</summary>
/// <param name="Log">The shape of the cache's log; its resident pages are the maximum that it may ever have.</param>
/// <param name="FilterBytes">
/// The memory of the admission filter in bytes: a power of two, at least 16; or 0 for none.
/// </param>
internal readonly record struct CacheShape(LogShape Log, long FilterBytes);
