using FASTER.core;

namespace Faster.Peer;

/// <summary>
/// Calls through the unsafe context: the epoch is entered once for a chunk of keys, no record is locked.
/// </summary>
internal readonly struct UnsafeCalls<TValue, TAdder>(
    ClientSession<long, TValue, long, TValue, long, PeerFunctions<TValue, TAdder>> session) : IPeerCalls<TValue>
    where TValue : unmanaged
    where TAdder : struct, IAdder
{
    private readonly UnsafeContext<long, TValue, long, TValue, long, PeerFunctions<TValue, TAdder>> _context =
        session.UnsafeContext;

    /// <inheritdoc/>
    public void Begin() => _context.BeginUnsafe();

    /// <inheritdoc/>
    public void End() => _context.EndUnsafe();

    /// <inheritdoc/>
    public Status Read(ref long key, ref TValue value, long context) => _context.Read(ref key, ref value, context);

    /// <inheritdoc/>
    public Status Upsert(ref long key, ref TValue value, long context) =>
        _context.Upsert(ref key, ref value, context);

    /// <inheritdoc/>
    public Status Rmw(ref long key, ref long amount, long context) => _context.RMW(ref key, ref amount, context);

    /// <inheritdoc/>
    public void CompletePending(bool wait) => _context.CompletePending(wait);

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();
}
