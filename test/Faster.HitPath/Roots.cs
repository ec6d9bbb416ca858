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
}
