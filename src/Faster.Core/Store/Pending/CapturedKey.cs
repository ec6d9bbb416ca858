using Faster.Contracts;

namespace Faster;

/// <summary>
/// A key that outlives its call: the image of its slot and its hash, copied when an operation goes pending.
/// </summary>
internal readonly unsafe struct CapturedKey : IKey
{
    private const int MostSpare = 1024;

    private readonly byte[] _slot;
    private readonly ulong _hash;

    private CapturedKey(byte[] slot, int size, ulong hash)
    {
        _slot = slot;
        SlotSize = size;
        _hash = hash;
    }

    /// <inheritdoc/>
    /// <remarks>Not known at compile time: the store's schema tells.</remarks>
    public static int FixedSlotSize => 0;

    /// <inheritdoc/>
    public int SlotSize { get; }

    /// <summary>Copies a key, into the given array if it is large enough.</summary>
    public static CapturedKey Of<TKey>(scoped TKey key, ulong hash, CapturedKey old)
        where TKey : struct, IKey, allows ref struct
    {
        int size = key.SlotSize;
        byte[] slot = old._slot is { } reusable && reusable.Length >= size ? reusable : new byte[Math.Max(size, 32)];
        fixed (byte* image = slot) key.WriteTo(image);
        return new CapturedKey(slot, size, hash);
    }

    /// <summary>What is kept for the next key: nothing of a large one.</summary>
    public CapturedKey Spare => _slot is { Length: <= MostSpare } ? this : default;

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
