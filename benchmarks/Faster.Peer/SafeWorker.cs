using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>Calls the session as it comes: every call enters and leaves the epoch and locks its record.</summary>
internal sealed class SafeWorker(
    ClientSession<long, long, long, long, Empty, PeerFunctions<LockedAdder>> session)
    : IMixedWorker
{
    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long k in keys)
        {
            long key = k;
            long value = 0;
            PeerStatus.RequireFound(session.Read(ref key, ref value));
            sum += value;
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long k in keys)
        {
            long key = k;
            long value = key ^ mask;
            PeerStatus.RequireDone(session.Upsert(ref key, ref value));
        }
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long k in keys)
        {
            long key = k;
            long input = 1;
            PeerStatus.RequireDone(session.RMW(ref key, ref input));
        }
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long k in keys)
        {
            long key = k;
            long value = k;
            if (key >= 0)
            {
                PeerStatus.RequireFound(session.Read(ref key, ref value));
                sum += value ^ (value >> 63);
            }
            else
            {
                key = ~key;
                PeerStatus.RequireDone(session.Upsert(ref key, ref value));
            }
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
