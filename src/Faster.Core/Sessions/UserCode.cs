using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// Marks the thread that may run user functions of a store under an epoch, so that a call of the same store from there
/// is refused instead of waiting for what waits for it.
/// </summary>
/// <remarks>
/// A hit neither marks nor looks: a thread's own static costs it a call. So a call from a user function that runs in a
/// hit is let in, and one that waits there fails when its patience ends. The innermost store is marked. Nothing is
/// shared.
/// </remarks>
internal static class UserCode
{
    [ThreadStatic]
    private static nint _store;

    /// <summary>What stands for the store of an epoch table.</summary>
    public static unsafe nint MarkOf<TProbe>(EpochTable<TProbe> epochs)
        where TProbe : struct, IProbe => (nint)epochs.Counters;

    /// <summary>Whether the current thread may be inside a user function of a store.</summary>
    /// <param name="store">What stands for the store.</param>
    public static bool IsInside(nint store) => _store == store;

    /// <summary>Marks the current thread until what is returned is disposed of.</summary>
    public static Scope Enter(nint store)
    {
        var scope = new Scope(_store);
        _store = store;
        return scope;
    }

    /// <summary>A mark that lasts until it is disposed of.</summary>
    internal readonly struct Scope(nint outer) : IDisposable
    {
        /// <summary>Puts the mark back that was there before.</summary>
        public void Dispose() => _store = outer;
    }
}
