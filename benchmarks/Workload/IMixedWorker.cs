namespace Faster.Workload;

/// <summary>A client that works through a mix of reads and blind updates.</summary>
internal interface IMixedWorker : IWorker
{
    /// <summary>
    /// Reads each key that is not negative; sets the value of the complement of each negative one to that negative
    /// number.
    /// </summary>
    /// <returns>
    /// The sum of the keys that the read values tell: of the values, or of their complements where they are negative.
    /// </returns>
    long Mixed(ReadOnlySpan<long> keys);
}
