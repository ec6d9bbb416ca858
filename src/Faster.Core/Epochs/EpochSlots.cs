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
/// <item>Any thread may read a slot below <see cref="Count"/> at any time.</item>
/// <item><see cref="Count"/> never falls, and it covers a slot before that slot is returned by Acquire.</item>
/// </list>
/// <para>Thread-safe. Acquire and Release take a lock, under which there is no probe point and no waiting; readers take
/// no lock.</para>
/// <para>Chunk k holds 64·2ᵏ slots: the first is four system pages, and thousands of sessions need only a few
/// chunks.</para>
/// </remarks>
internal sealed unsafe class EpochSlots(EpochCounters* counters)
{
    private const int FirstChunkShift = 6;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private Chunk[] _chunks = [];
    private int _count;

    /// <summary>The maximum number of slots that were ever in use at once.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Reserves a slot: idle, its session state zero.</summary>
    public EpochSlot* Acquire(string owner)
    {
        lock (_lock)
        {
            int index = _free.TryPop(out int reused) ? reused : _count;
            (int chunk, int within) = Locate(index);
            if (chunk == _chunks.Length)
            {
                Volatile.Write(ref _chunks, [.. _chunks, new Chunk(1 << (chunk + FirstChunkShift))]);
            }

            EpochSlot* slot = _chunks[chunk].Slots + within;
            Invariant.Check(
                _chunks[chunk].Owners[within] is null && slot->Epoch == 0,
                $"slot {index} is free and idle before it is acquired; it has epoch {slot->Epoch}");
            *slot = new EpochSlot { Index = index, Counters = (nint)counters };
            Volatile.Write(ref _chunks[chunk].Owners[within], owner);
            if (index == _count) Volatile.Write(ref _count, index + 1);
            return slot;
        }
    }

    /// <summary>Releases a slot for reuse.</summary>
    /// <exception cref="InvalidOperationException">The slot is inside an epoch, or was not acquired.</exception>
    public void Release(EpochSlot* slot)
    {
        lock (_lock)
        {
            (int chunk, int within) = Locate(slot->Index);
            ref string? owner = ref _chunks[chunk].Owners[within];
            if (owner is null) throw new InvalidOperationException("The epoch slot has already been released.");
            if (Volatile.Read(ref slot->Epoch) != 0)
            {
                throw new InvalidOperationException(
                    $"The epoch slot of «{owner}» is released inside its epoch: leave the epoch first.");
            }

            owner = null;
            _free.Push(slot->Index);
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
        int left = Count;
        foreach (Chunk chunk in Volatile.Read(ref _chunks))
        {
            int slots = Math.Min(left, chunk.Owners.Length);
            for (int i = 0; i < slots; i++)
            {
                long epoch = Volatile.Read(ref chunk.Slots[i].Epoch);
                if (epoch == 0 || epoch >= lowest) continue;
                lowest = epoch;
                owner = Volatile.Read(ref chunk.Owners[i]);
            }

            left -= slots;
        }

        return lowest;
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
        public readonly EpochSlot* Slots;
        private readonly byte[] _memory;

        public Chunk(int slots)
        {
            Owners = new string?[slots];
            _memory = GC.AllocateArray<byte>((slots * EpochSlot.Bytes) + CacheLine.Bytes, pinned: true);
            nuint start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
            Slots = (EpochSlot*)((start + CacheLine.Bytes - 1) & ~(nuint)(CacheLine.Bytes - 1));
        }
    }
}
