using Faster.Log;

namespace Faster.Caching;

/// <summary>How a read cache is laid out in memory.</summary>
/// <param name="Log">Its log; the resident pages are the most that it may ever have.</param>
/// <param name="FilterBytes">The memory of the admission filter: a power of two, at least 16; or 0 for none.</param>
internal readonly record struct CacheShape(LogShape Log, long FilterBytes);
