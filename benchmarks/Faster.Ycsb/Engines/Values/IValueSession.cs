namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// The calls of a generated session that workers use. Implementations are structs around a session, so that the JIT
/// sees through them.
/// </summary>
/// <typeparam name="TValue">The store's values.</typeparam>
internal interface IValueSession<TValue> : IDisposable
    where TValue : unmanaged
{
    /// <summary>Reads a key.</summary>
    Status Read(long key, out TValue value, ReadSink sink);

    /// <summary>Reads keys.</summary>
    void Read(ReadOnlySpan<long> keys, Span<ReadResult<TValue>> results);

    /// <summary>Sets a key's value.</summary>
    Status Upsert(long key, in TValue value, ReadSink sink);

    /// <summary>Sets keys' values.</summary>
    void Upsert(ReadOnlySpan<long> keys, ReadOnlySpan<TValue> values);

    /// <summary>Adds to the word of a key's value.</summary>
    Status Rmw(long key, long amount, ReadSink sink);

    /// <summary>Adds to the words of keys' values.</summary>
    void Rmw(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts);

    /// <summary>Continues what has come from the disk, or waits for all of it.</summary>
    bool CompletePending(bool wait);
}
