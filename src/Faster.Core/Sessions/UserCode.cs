using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// Marks the thread that may run user functions of a store under an epoch, so that a call to the same store from there
/// is refused instead of waiting for an operation that waits for it.
/// </summary>
/// <remarks>
/// What is done at once in a quiet epoch (a hit, a read that ends at the index, a blind update that only links) does
/// not check the mark, because a thread-static costs it a call: it waits for nothing, so it is let in. For the same
/// reason a hit does not set the mark. So every call from a user function that runs in a hit is accepted, and if it
/// waits there, it fails at the stall timeout. Only the innermost store is marked. No state is shared between threads.
/// </remarks>
internal static class UserCode
{
    [ThreadStatic]
    private static nint _store;

    /// <summary>The mark of a store, by its epoch table.</summary>
    public static unsafe nint MarkOf(EpochTable epochs) => (nint)epochs.Counters;

    /// <summary>Whether the current thread may be inside a user function of a store.</summary>
    /// <param name="store">The mark of the store.</param>
    public static bool IsInside(nint store) => _store == store;

    /// <summary>Marks the current thread until the result is disposed of.</summary>
    public static Scope Enter(nint store)
    {
        var scope = new Scope(_store, isMarked: true);
        _store = store;
        return scope;
    }

    /// <summary>A mark that lasts until it is disposed of; by default none.</summary>
    internal readonly struct Scope(nint outer, bool isMarked) : IDisposable
    {
        /// <summary>Restores the mark that was set before.</summary>
        public void Dispose()
        {
            if (isMarked) _store = outer;
        }
    }
}
