using System.Diagnostics.CodeAnalysis;

namespace Faster.Contracts;

/// <summary>How a store that was closed refuses a call.</summary>
internal static class ClosedStore
{
    /// <summary>Refuses a call.</summary>
    /// <param name="isClosed">Whether the store is closed.</param>
    /// <exception cref="ObjectDisposedException">It is.</exception>
    public static void ThrowIf([DoesNotReturnIf(true)] bool isClosed)
    {
        if (isClosed) throw new ObjectDisposedException("Store", "The store has been closed. Open it again to go on.");
    }
}
