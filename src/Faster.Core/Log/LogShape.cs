using Faster.Contracts;

namespace Faster.Log;

/// <summary>How a log is laid out in memory.</summary>
/// <param name="Schema">The layout of the records.</param>
/// <param name="Seed">The key of the hash.</param>
/// <param name="PageBits">The base-2 logarithm of the page size in bytes.</param>
/// <param name="ResidentPages">
/// The maximum number of pages in memory; address space for a larger window is reserved up to the next power of two.
/// </param>
/// <param name="MutableFraction">The share of them that is updated in place.</param>
internal readonly record struct LogShape(
    RecordSchema Schema, HashSeed Seed, int PageBits, int ResidentPages, double MutableFraction);
