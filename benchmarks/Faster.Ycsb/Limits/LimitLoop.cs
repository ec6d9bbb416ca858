namespace Faster.Ycsb.Limits;

/// <summary>Does a number of operations of a measurement.</summary>
/// <param name="first">The number of the first one, by which places are chosen; no two threads use the same.</param>
/// <param name="count">How many.</param>
/// <returns>Something that depends on all of them, so that none is optimized away.</returns>
internal delegate long LimitLoop(long first, int count);
