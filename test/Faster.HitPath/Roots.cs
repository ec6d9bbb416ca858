using System.Runtime.CompilerServices;

namespace Faster.HitPath;

/// <summary>
/// One method for each operation, kept apart so that each has a listing with all that was inlined into it.
/// </summary>
internal static class Roots
{
    /// <summary>Reads a key that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status Read(Sums.Session session, long key, out long value) => session.Read(key, out value);

    /// <summary>Overwrites a key that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status Upsert(Sums.Session session, long key, long value) => session.Upsert(key, value);

    /// <summary>Updates a key that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status Rmw(Sums.Session session, long key, long amount) => session.Rmw(key, amount);

    /// <summary>Updates a key that is in memory, and returns an output.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status RmwOutput(Tickets.Session session, long key, out long ticket) => session.Rmw(key, out ticket);

    /// <summary>Reads a key of variable length that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status ReadBytes(Plain.Session session, ReadOnlySpan<byte> key, out long value) =>
        session.Read(key, out value);

    /// <summary>Overwrites a key of variable length that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status UpsertBytes(Plain.Session session, ReadOnlySpan<byte> key, long value) =>
        session.Upsert(key, value);

    /// <summary>Reads a pair that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status ReadPair(Pairs.Session session, Guid key, out Pair value) => session.Read(key, out value);

    /// <summary>Overwrites a pair that is in memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status UpsertPair(Pairs.Session session, Guid key, Pair value) => session.Upsert(key, value);

    /// <summary>Reads a key on the engine HotRing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status RingRead(RingSums.Session session, long key, out long value) => session.Read(key, out value);

    /// <summary>Overwrites a key on the engine HotRing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status RingUpsert(RingSums.Session session, long key, long value) => session.Upsert(key, value);

    /// <summary>Updates a key on the engine HotRing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Status RingRmw(RingSums.Session session, long key, long amount) => session.Rmw(key, amount);
}
