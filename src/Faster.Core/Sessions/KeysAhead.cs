using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Epochs;
using Faster.Memory;

namespace Faster.Sessions;

/// <summary>
/// The keys that a session was told of last, so that what it fetches for a key comes in two stages: the entry at once,
/// and the record, whose address is in the entry, when the caller has told it of <see cref="Lag"/> further keys.
/// </summary>
/// <remarks>
/// Lies in the last line of the session's slot: each call writes it, so it must share its line with no other session.
/// Not thread-safe: it belongs to a session. Valid as long as the slot.
/// </remarks>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct KeysAhead
{
    /// <summary>
    /// How many keys lie between the two stages, a power of two: about as many operations as take the time of one miss.
    /// </summary>
    public const int Lag = 4;

    /// <summary>The size in bytes.</summary>
    public const int Bytes = (Lag + 1) * sizeof(ulong);

    private fixed ulong _hashes[Lag];
    private long _next;

    /// <summary>The keys in a session's slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static KeysAhead* Of(EpochSlot* slot) => (KeysAhead*)((byte*)slot + EpochSlot.Bytes - CacheLine.Bytes);

    /// <summary>Adds the hash of a key.</summary>
    /// <returns>The hash of the key that was added <see cref="Lag"/> keys before; at first 0.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Add(ulong hash)
    {
        long place = _next++ & (Lag - 1);
        ulong earlier = _hashes[place];
        _hashes[place] = hash;
        return earlier;
    }
}
