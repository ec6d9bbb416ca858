using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Epochs;

/// <summary>The slots of an epoch table: pinned memory in chunks that are added and never moved.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A slot's address is valid from its first acquisition for as long as this object is reachable, also when its
/// store has been closed.</item>
/// <item>The bit of a slot is set from before Acquire returns the slot until Release is called, and only then; a slot
/// whose bit is set lies below <see cref="Count"/>.</item>
/// <item>The lowest free slot is acquired first, and Count falls when the highest ones are released: so the cost of a
/// scan follows the sessions that are there, not the most that ever were.</item>
/// </list>
/// <para><b>Why a scan sees every announcement that it must see</b>, although Count falls. A scan must see a session R
/// that announced its epoch before the fence that the bump's barrier put into R's thread
/// (docs/internals/epoch-proofs.md). R announces after Acquire has returned the slot, so its bit was set and Count was
/// raised before that fence, too, and the scan reads them as they were then or later. Later writes of the two keep the
/// bit and stay above the slot until R's holder releases it; and then R is outside for good. A bit that is seen
/// although its slot was released costs a look at an idle slot.</para>
/// <para>Thread-safe. Acquire and Release take a lock, under which there is no probe point and no waiting; readers take
/// no lock.</para>
/// <para>Chunk k holds 64·2ᵏ slots: the first is four system pages, and thousands of sessions need only a few
/// chunks.</para>
/// </remarks>
internal sealed unsafe class EpochSlots(EpochCounters* counters)
{
    private const int FirstChunkShift = 6, SlotsOfWord = 64;

    private readonly Lock _lock = new();
    private Chunk[] _chunks = [];
    private int _words;     // of bits, up to the last one that has a bit set
    private int _firstFree; // no word below it has a bit that is not set

    /// <summary>The number of slots up to the highest one that is held, in steps of 64.</summary>
    public int Count => Volatile.Read(ref _words) * SlotsOfWord;

    /// <summary>Reserves a slot: idle, its session state zero.</summary>
    public EpochSlot* Acquire(string owner)
    {
        lock (_lock)
        {
            while (Held(_firstFree) == ulong.MaxValue) _firstFree++;
            int bit = BitOperations.TrailingZeroCount(~Held(_firstFree));
            int index = (_firstFree * SlotsOfWord) + bit;
            (int number, int within) = Locate(index);
            if (number == _chunks.Length)
                Volatile.Write(ref _chunks, [.. _chunks, new Chunk(1 << (number + FirstChunkShift))]);
            Chunk chunk = _chunks[number];
            EpochSlot* slot = chunk.Slots + within;
            Invariant.Check(
                chunk.Owners[within] is null && slot->Epoch == 0,
                $"slot {index} is free and idle before it is acquired; it has epoch {slot->Epoch}");
            *slot = new EpochSlot { Index = index, Counters = (nint)counters };
            Volatile.Write(ref chunk.Owners[within], owner);
            Volatile.Write(ref chunk.Held[within / SlotsOfWord], Held(_firstFree) | (1UL << bit));
            if (_firstFree >= _words) Volatile.Write(ref _words, _firstFree + 1);
            return slot;
        }
    }

    /// <summary>Releases a slot for reuse.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="forgetsHeld">The wrong way, for tests: higher slots that are held are scanned no more.</param>
    /// <exception cref="InvalidOperationException">The slot is inside an epoch, or was not acquired.</exception>
    public void Release(EpochSlot* slot, bool forgetsHeld = false)
    {
        lock (_lock)
        {
            (int number, int within) = Locate(slot->Index);
            Chunk chunk = _chunks[number];
            ref string? owner = ref chunk.Owners[within];
            if (owner is null) throw new InvalidOperationException("The epoch slot has already been released.");
            if (Volatile.Read(ref slot->Epoch) != 0)
            {
                throw new InvalidOperationException(
                    $"The epoch slot of «{owner}» is released inside its epoch: leave the epoch first.");
            }

            owner = null;
            int word = slot->Index / SlotsOfWord, words = forgetsHeld ? word : _words;
            Volatile.Write(
                ref chunk.Held[within / SlotsOfWord], Held(word) & ~(1UL << (slot->Index % SlotsOfWord)));
            _firstFree = Math.Min(_firstFree, word);
            while (words > 0 && Held(words - 1) == 0) words--;
            Volatile.Write(ref _words, words);
        }
    }

    /// <summary>The lowest epoch announced in any slot, if it is at most <paramref name="limit"/>.</summary>
    /// <param name="limit">Higher epochs are ignored.</param>
    /// <param name="owner">The owner of the slot that announced it; null when there is none.</param>
    /// <returns>The epoch, or <c>limit + 1</c> when all slots are idle or above the limit.</returns>
    public long Lowest(long limit, out string? owner)
    {
        long lowest = limit + 1;
        owner = null;
        int left = Volatile.Read(ref _words);
        foreach (Chunk chunk in Volatile.Read(ref _chunks))
        {
            int words = Math.Min(left, chunk.Held.Length);
            for (int word = 0; word < words; word++)
            {
                for (ulong held = Volatile.Read(ref chunk.Held[word]); held != 0; held &= held - 1)
                {
                    int i = (word * SlotsOfWord) + BitOperations.TrailingZeroCount(held);
                    long epoch = Volatile.Read(ref chunk.Slots[i].Epoch);
                    if (epoch == 0 || epoch >= lowest) continue;
                    lowest = epoch;
                    owner = Volatile.Read(ref chunk.Owners[i]);
                }
            }

            left -= words;
        }

        return lowest;
    }

    // Which of 64 slots are held; none of a chunk that is not there yet.
    private ulong Held(int word)
    {
        (int number, int within) = Locate(word * SlotsOfWord);
        return number < _chunks.Length ? _chunks[number].Held[within / SlotsOfWord] : 0;
    }

    private static (int Chunk, int Within) Locate(int index)
    {
        const int first = 1 << FirstChunkShift;
        int chunk = BitOperations.Log2((uint)(index + first)) - FirstChunkShift;
        return (chunk, index + first - (first << chunk));
    }

    private sealed class Chunk
    {
        public readonly string?[] Owners;
        public readonly ulong[] Held; // a bit for each slot
        public readonly EpochSlot* Slots;
        private readonly byte[] _memory;

        public Chunk(int slots)
        {
            Owners = new string?[slots];
            Held = new ulong[slots / SlotsOfWord];
            _memory = GC.AllocateArray<byte>((slots * EpochSlot.Bytes) + CacheLine.Bytes, pinned: true);
            nuint start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
            Slots = (EpochSlot*)((start + CacheLine.Bytes - 1) & ~(nuint)(CacheLine.Bytes - 1));
        }
    }
}
