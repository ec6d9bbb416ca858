using FASTER.core;
using Faster.Workload;

namespace Faster.Peer;

/// <summary>
/// Calls through the unsafe context: the epoch is entered once for a chunk of keys, no record is locked.
/// </summary>
internal sealed class UnsafeWorker(
    ClientSession<long, long, long, long, Empty, PeerFunctions<AtomicAdder>> session)
    : IMixedWorker
{
    private readonly UnsafeContext<long, long, long, long, Empty, PeerFunctions<AtomicAdder>> _context =
        session.UnsafeContext;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        _context.BeginUnsafe();
        foreach (long k in keys)
        {
            long key = k;
            long value = 0;
            PeerStatus.RequireFound(_context.Read(ref key, ref value));
            sum += value;
        }

        _context.EndUnsafe();
        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        _context.BeginUnsafe();
        foreach (long k in keys)
        {
            long key = k;
            long value = key ^ mask;
            PeerStatus.RequireDone(_context.Upsert(ref key, ref value));
        }

        _context.EndUnsafe();
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        _context.BeginUnsafe();
        foreach (long k in keys)
        {
            long key = k;
            long input = 1;
            PeerStatus.RequireDone(_context.RMW(ref key, ref input));
        }

        _context.EndUnsafe();
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        _context.BeginUnsafe();
        foreach (long k in keys)
        {
            long key = k;
            long value = k;
            if (key >= 0)
            {
                PeerStatus.RequireFound(_context.Read(ref key, ref value));
                sum += value ^ (value >> 63);
            }
            else
            {
                key = ~key;
                PeerStatus.RequireDone(_context.Upsert(ref key, ref value));
            }
        }

        _context.EndUnsafe();
        return sum;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
