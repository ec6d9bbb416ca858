using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A session used one key at a time.</summary>
internal sealed class SingleWorker<TSession>(TSession session) : IWorker
    where TSession : struct, IWordSession
{
    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            StoreStatus.RequireOk(session.Read(key, out long value));
            sum += ValueWord.KeyOf(value);
        }

        return sum;
    }

    /// <inheritdoc/>
    public long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        foreach (long key in keys)
            absent += session.Read(key, out _) == Status.NotFound ? 1 : 0;
        return absent;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            StoreStatus.RequireOk(session.Upsert(key, ValueWord.Of(key) ^ mask));
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            StoreStatus.RequireOk(session.Rmw(key, 1));
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
            {
                StoreStatus.RequireOk(session.Read(key, out long value));
                sum += ValueWord.KeyOf(value);
            }
            else
            {
                StoreStatus.RequireOk(session.Upsert(~key, ValueWord.Of(~key) ^ mask));
            }
        }

        return sum;
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
            {
                StoreStatus.RequireOk(session.Read(key, out long value));
                sum += ValueWord.KeyOf(value);
            }
            else
            {
                StoreStatus.RequireOk(session.Rmw(~key, 1));
            }
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            StoreStatus.RequireOk(session.Read(keys[i], out words[i]));
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
