using Faster.Workload;

namespace Faster.Engines;

/// <summary>A session used one key at a time.</summary>
internal sealed class SingleWorker(Numbers.Session session) : IMixedWorker
{
    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            StoreStatus.RequireOk(session.Read(key, out long value));
            sum += value;
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            StoreStatus.RequireOk(session.Upsert(key, key ^ mask));
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            StoreStatus.RequireOk(session.Rmw(key, 1));
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
            {
                StoreStatus.RequireOk(session.Read(key, out long value));
                sum += value ^ (value >> 63);
            }
            else
            {
                StoreStatus.RequireOk(session.Upsert(~key, key));
            }
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
