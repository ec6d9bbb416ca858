namespace Faster.Workload.Engines;

/// <summary>
/// A session of longs, alone and in batches: a struct, so that the JIT compiles workers for each and its calls are
/// calls of the session.
/// </summary>
internal interface IWordSession : IDisposable
{
    /// <summary>Reads a key.</summary>
    Status Read(long key, out long value);

    /// <summary>Sets a key.</summary>
    Status Upsert(long key, long value);

    /// <summary>Adds to a key.</summary>
    Status Rmw(long key, long input);

    /// <summary>Reads keys.</summary>
    void Read(ReadOnlySpan<long> keys, Span<ReadResult<long>> results);

    /// <summary>Sets keys.</summary>
    void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<long> values);

    /// <summary>Adds to keys.</summary>
    void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> inputs);
}
