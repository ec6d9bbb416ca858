using System.Diagnostics.CodeAnalysis;

namespace Faster.Contracts;

/// <summary>Rejects calls of a closed store.</summary>
internal static class ClosedStore
{
    /// <summary>Throws if the store is closed.</summary>
    /// <param name="isClosed">Whether the store is closed.</param>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public static void ThrowIf([DoesNotReturnIf(true)] bool isClosed)
    {
        if (isClosed) throw new ObjectDisposedException("Store", "The store is closed. Open it again to continue.");
    }
}
