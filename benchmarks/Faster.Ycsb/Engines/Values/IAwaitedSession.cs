namespace Faster.Ycsb.Engines.Values;

/// <summary>The calls of a generated session, one of which can be awaited.</summary>
/// <typeparam name="TValue">The store's values.</typeparam>
internal interface IAwaitedSession<TValue> : IValueSession<TValue>
    where TValue : unmanaged
{
    /// <summary>Sets a key's value.</summary>
    ValueTask<Status> UpsertAsync(long key, TValue value);
}
