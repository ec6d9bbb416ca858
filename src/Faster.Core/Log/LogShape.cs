using Faster.Contracts;

namespace Faster.Log;

/// <summary>How a log is laid out in memory.</summary>
/// <param name="Schema">The records.</param>
/// <param name="Seed">The key of the hash.</param>
/// <param name="PageBits">The logarithm of the page size.</param>
/// <param name="ResidentPages">
/// How many pages may be in memory; room for later growth of the window is reserved up to the next power of two.
/// </param>
/// <param name="MutableFraction">The part of them that is updated in place.</param>
internal readonly record struct LogShape(
    RecordSchema Schema, HashSeed Seed, int PageBits, int ResidentPages, double MutableFraction);
