using Faster.Contracts;

namespace Faster.LogSessions.Pending;

/// <summary>
/// A key that outlives its call: the bytes of its slot and its hash, copied when an operation becomes pending.
/// </summary>
internal readonly unsafe struct CapturedKey : IKey
{
    private const int MaxSpare = 1024;

    private readonly byte[] _slot;
    private readonly ulong _hash;

    private CapturedKey(byte[] slot, int size, ulong hash)
    {
        _slot = slot;
        SlotSize = size;
        _hash = hash;
    }

    /// <inheritdoc/>
    /// <remarks>0: not known at compile time, but defined by the store's schema.</remarks>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize { get; }

    /// <summary>Copies a key, into the array of <paramref name="old"/> if that is large enough.</summary>
    public static CapturedKey Of<TKey>(scoped TKey key, ulong hash, CapturedKey old)
        where TKey : struct, IKey, allows ref struct
    {
        int size = key.SlotSize;
        byte[] slot = old._slot is { } reusable && reusable.Length >= size ? reusable : new byte[Math.Max(size, 32)];
        fixed (byte* image = slot) key.WriteTo(image);
        return new CapturedKey(slot, size, hash);
    }

    /// <summary>The key to reuse the array of; the default if the array has more than 1 KiB.</summary>
    public CapturedKey Reusable => _slot is { Length: <= MaxSpare } ? this : default;

    /// <inheritdoc/>
    public ulong Word => 0;

    /// <inheritdoc/>
    public ulong Hash(in HashSeed seed) => _hash;

    /// <inheritdoc/>
    public bool Matches(byte* slot)
    {
        fixed (byte* image = _slot) return KeySlot.Matches(slot, image, SlotSize);
    }

    /// <inheritdoc/>
    public void WriteTo(byte* slot) => _slot.AsSpan(0, SlotSize).CopyTo(new Span<byte>(slot, SlotSize));
}
