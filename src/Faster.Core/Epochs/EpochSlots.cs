using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Epochs;

/// <summary>The slots of an epoch table: pinned memory in chunks that are added and never moved.</summary>
/// <remarks>
/// <para>Invariants: a slot's address is valid from its first hand-out for as long as this object is reachable, also
/// when its store has been closed; a slot below <see cref="Count"/> may be read by anyone at any time;
/// <see cref="Count"/> never falls, and it covers a slot before that slot is handed out.</para>
/// <para>Thread-safe. Acquire and Release take a lock, which holds no probe point and
/// waits for nobody; readers take none.</para>
/// <para>Chunk k holds 64·2ᵏ slots: the first is one system page, and thousands of sessions make a handful of chunks.
/// </para>
/// </remarks>
internal sealed unsafe class EpochSlots(EpochCounters* counters)
{
    private const int FirstChunkShift = 6;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private Chunk[] _chunks = [];
    private int _count;

    /// <summary>How many slots have ever been handed out at once, at most.</summary>
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
            *slot = new EpochSlot { Index = index, Counters = (nint)counters };
            Volatile.Write(ref _chunks[chunk].Owners[within], owner);
            if (index == _count) Volatile.Write(ref _count, index + 1);
            return slot;
        }
    }

    /// <summary>Gives a slot back.</summary>
    /// <exception cref="InvalidOperationException">The slot is inside an epoch, or was not acquired.</exception>
    public void Release(EpochSlot* slot)
    {
        lock (_lock)
        {
            (int chunk, int within) = Locate(slot->Index);
            ref string? owner = ref _chunks[chunk].Owners[within];
            if (owner is null) throw new InvalidOperationException("The epoch slot was released before.");
            if (Volatile.Read(ref slot->Epoch) != 0)
            {
                throw new InvalidOperationException(
                    $"The epoch slot of «{owner}» is released inside its epoch: leave first.");
            }

            owner = null;
            _free.Push(slot->Index);
        }
    }

    /// <summary>The lowest epoch announced in any slot, if it is at most <paramref name="limit"/>.</summary>
    /// <param name="limit">Higher epochs are passed over.</param>
    /// <param name="owner">Who announced it; null when nobody did.</param>
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
            _memory = GC.AllocateArray<byte>((slots + 1) * EpochSlot.Bytes, pinned: true);
            nuint start = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_memory));
            Slots = (EpochSlot*)((start + EpochSlot.Bytes - 1) & ~(nuint)(EpochSlot.Bytes - 1));
        }
    }
}
