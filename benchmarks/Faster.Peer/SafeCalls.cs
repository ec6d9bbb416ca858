using FASTER.core;

namespace Faster.Peer;

/// <summary>Calls in the default setup: every call enters and leaves the epoch and locks its record.</summary>
internal readonly struct SafeCalls<TValue, TAdder>(
    ClientSession<long, TValue, long, TValue, long, PeerFunctions<TValue, TAdder>> session) : IPeerCalls<TValue>
    where TValue : unmanaged
    where TAdder : struct, IAdder
{
    /// <inheritdoc/>
    public void Begin()
    {
        // Each call does what it needs.
    }

    /// <inheritdoc/>
    public void End()
    {
        // As above.
    }

    /// <inheritdoc/>
    public Status Read(ref long key, ref TValue value, long context) => session.Read(ref key, ref value, context);

    /// <inheritdoc/>
    public Status Upsert(ref long key, ref TValue value, long context) => session.Upsert(ref key, ref value, context);

    /// <inheritdoc/>
    public Status Rmw(ref long key, ref long amount, long context) => session.RMW(ref key, ref amount, context);

    /// <inheritdoc/>
    public void CompletePending(bool wait) => session.CompletePending(wait);

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
