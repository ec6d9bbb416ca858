using System.Diagnostics;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>
/// The times of transactions, apart by whether they have met others' locks: what the first take longer than the second
/// on average was spent in attempts that were refused, and in the pauses after them. Not thread-safe.
/// </summary>
internal sealed class ConflictCosts
{
    private long _clean, _cleanTicks, _refused, _refusedTicks;

    /// <summary>What refused attempts and their pauses take, in seconds for each transaction.</summary>
    public double SecondsPerTransaction
    {
        get
        {
            if (_refused == 0) return 0;
            double usual = _clean == 0 ? 0 : (double)_cleanTicks / _clean;
            double more = Math.Max(0, _refusedTicks - (_refused * usual));
            return more / (_clean + _refused) / Stopwatch.Frequency;
        }
    }

    /// <summary>Counts a transaction.</summary>
    public void Count(long ticks, bool wasRefused)
    {
        if (wasRefused) (_refused, _refusedTicks) = (_refused + 1, _refusedTicks + ticks);
        else (_clean, _cleanTicks) = (_clean + 1, _cleanTicks + ticks);
    }

    /// <summary>Adds another thread's.</summary>
    public void Add(ConflictCosts other)
    {
        (_clean, _cleanTicks) = (_clean + other._clean, _cleanTicks + other._cleanTicks);
        (_refused, _refusedTicks) = (_refused + other._refused, _refusedTicks + other._refusedTicks);
    }
}
