namespace Faster.Ycsb.Commands;

/// <summary>What a sweep varies.</summary>
internal enum SweepAxis
{
    /// <summary>How many threads work.</summary>
    Threads,

    /// <summary>The skew of the keys.</summary>
    Theta,

    /// <summary>The size of values.</summary>
    ValueSize,

    /// <summary>The memory of the store.</summary>
    Memory,

    /// <summary>The keys for each 8 bytes of an index of fixed size.</summary>
    KeysPerBucket,

    /// <summary>After how many operations a session of hotring considers a ring: R of paper 002.</summary>
    Interval,

    /// <summary>The percentage of reads in a mix with blind updates.</summary>
    Reads,
}
