using System.Numerics;
using Faster.Invariants;
using Faster.Memory;
using Faster.Persistence;
using Faster.Probes;

namespace Faster.Engines.Bullet.Back;

/// <summary>The two redo slots of a part: which words each of its last two batches stored.</summary>
/// <remarks>
/// <para>Batch n goes to slot n mod 2: its number, its words, and which blocks it has written directly. The checksum
/// covers the contents of these blocks too, so a whole slot means that all of the batch is durable. The order is</para>
/// <list type="number">
/// <item>blocks and slot are written and flushed, <b>fence 1</b>;</item>
/// <item>the words are stored, among them <see cref="BackLayout.SequenceAt"/> := n, and flushed, <b>fence 2</b>;</item>
/// <item>batch n + 1 begins.</item>
/// </list>
/// <para><b>Recovery</b> reads the number s from the part's page. If the slot of s + 1 is whole, it stores the words of
/// s + 1 once more, else those of s, whose slot must be whole; a fence; and nothing else. Before it stores words, it
/// makes durable what they lead to, which a killed process may have left in the system's cache.</para>
/// <para>Proof. Let b be the batch under way, the last one that has written to its slot. Batches below b have passed
/// fence 2, so all of their words are durable, and s is b - 1 or b.</para>
/// <list type="bullet">
/// <item>s = b - 1, the slot of b whole: all of b is durable, though fence 1 may not have ended. Of the words of b any
/// number may be stored; storing all makes b whole. Nothing older is stored again.</item>
/// <item>s = b - 1, the slot of b not whole: fence 1 has not ended, so no word of b was stored. The words of b - 1 are
/// as they were, and storing them changes nothing that is reachable: b has directly written blocks that were free, and
/// the words of b - 1 within those are words of free blocks.</item>
/// <item>s = b: fence 1 has ended, the slot of b is whole, and its words are stored again. The slot of b + 1 still
/// holds b - 1, which is not taken since its number is not s + 1.</item>
/// </list>
/// <para>The slot of s stays whole as long as s counts: it is written again by s + 2 only, when s + 1 is durable; the
/// blocks of s are written again only when a batch has freed them and the next one has begun; and what the words of
/// s + 1 change of them, the next offset, is not covered. So a slot of s that is not whole is damage. ∎</para>
/// <para>Recovery may be repeated, since words are absolute. Not covered: damage to the slot of b between its fence 1
/// and fence 2 looks like a power cut before fence 1. Not thread-safe: it belongs to the holder of a part.</para>
/// </remarks>
internal sealed unsafe class RedoSlots
{
    /// <summary>The size of a word or block in a slot.</summary>
    public const int ItemBytes = 16;

    /// <summary>The size of what a slot begins with.</summary>
    public const int HeaderBytes = 24;

    private const int SequenceAt = 0, WordsAt = 8, BlocksAt = 12, ChecksumAt = 16;

    private readonly PersistentRegion _region;
    private readonly byte* _bytes;
    private readonly PartSpace _space;
    private readonly int _slotBytes;
    private readonly ulong _identity;
    private readonly int _part;

    /// <summary>The slots of a part.</summary>
    public RedoSlots(PersistentRegion region, PartSpace space, BackHeader header, int part)
    {
        _bytes = region.Pointer;
        (_region, _space, _part) = (region, space, part);
        (_slotBytes, _identity) = (header.Shape.RedoBytes, header.Identity);
    }

    /// <summary>The most words and blocks of a batch.</summary>
    public int Capacity => (_slotBytes - HeaderBytes) / ItemBytes;

    /// <summary>Writes and flushes the slot of a batch.</summary>
    /// <param name="sequence">The batch's number.</param>
    /// <param name="words">Its words.</param>
    /// <param name="blocks">The blocks that it has written, each with its size; their bytes are final.</param>
    public void Write(long sequence, StagedWords words, Dictionary<long, long> blocks)
    {
        Invariant.Check(
            words.Count + blocks.Count <= Capacity,
            $"{words.Count} words and {blocks.Count} blocks fit into a slot of {_slotBytes} bytes");
        byte* slot = SlotOf(sequence);
        *(long*)(slot + SequenceAt) = sequence;
        *(int*)(slot + WordsAt) = words.Count;
        *(int*)(slot + BlocksAt) = blocks.Count;
        *(int*)(slot + ChecksumAt + sizeof(int)) = 0;
        var item = (long*)(slot + HeaderBytes);
        ReadOnlySpan<long> offsets = words.Offsets, values = words.Values;
        for (int i = 0; i < offsets.Length; i++, item += 2) (item[0], item[1]) = (offsets[i], values[i]);
        foreach ((long block, long size) in blocks)
        {
            (item[0], item[1]) = (block, size);
            item += 2;
        }

        *(uint*)(slot + ChecksumAt) = Compute(slot, sequence);
        _region.Flush(slot - _bytes, (byte*)item - slot);
    }

    /// <summary>
    /// Flushes a batch that recovery will finish; the caller fences, and recovers then. A process that was killed may
    /// have left it in the system's cache.
    /// </summary>
    public void FlushNext()
    {
        long next = *(long*)(_bytes + _space.Page + BackLayout.SequenceAt) + 1;
        if (!IsWhole(next) || (Probe.On && Probe.Has(SeededBug.RecoveryTrustsCache))) return;
        byte* slot = SlotOf(next);
        _region.Flush(slot - _bytes, _slotBytes);
        var block = (long*)(slot + HeaderBytes + (*(int*)(slot + WordsAt) * ItemBytes));
        for (int i = *(int*)(slot + BlocksAt); i > 0; i--, block += 2) _region.Flush(block[0], block[1]);
    }

    /// <summary>Stores the words of the newest whole batch once more; the caller fences.</summary>
    /// <exception cref="DamagedDataException">The slot of the last batch is damaged.</exception>
    public void Recover()
    {
        long last = *(long*)(_bytes + _space.Page + BackLayout.SequenceAt);
        bool isNext = IsWhole(last + 1);
        if (isNext) Store(last + 1);
        if (isNext && !(Probe.On && Probe.Has(SeededBug.OlderRedoReplayed))) return;
        if (last == 0) return;
        if (!isNext && !IsWhole(last))
        {
            BackLayout.ThrowDamaged(
                _region.Name, SlotOf(last) - _bytes, $"the redo of batch {last} of part {_part} is not whole");
        }

        Store(last);
    }

    /// <summary>Whether the slot of a batch holds all of it.</summary>
    public bool IsWhole(long sequence)
    {
        byte* slot = SlotOf(sequence);
        if (*(long*)(slot + SequenceAt) != sequence) return false;
        int words = *(int*)(slot + WordsAt), blocks = *(int*)(slot + BlocksAt);
        if (words <= 0 || blocks < 0 || (long)words + blocks > Capacity) return false;
        var item = (long*)(slot + HeaderBytes);
        for (int i = 0; i < words + blocks; i++)
        {
            long size = i < words ? sizeof(long) : item[(2 * i) + 1];
            if (size < sizeof(long) || !BackLayout.IsInside(item[2 * i], size, _region.Length)) return false;
        }

        return *(uint*)(slot + ChecksumAt) == Compute(slot, sequence);
    }

    private void Store(long sequence)
    {
        byte* slot = SlotOf(sequence);
        if (*(long*)(slot + SequenceAt) != sequence) return; // of the seeded bug
        var item = (long*)(slot + HeaderBytes);
        for (int i = *(int*)(slot + WordsAt); i > 0; i--, item += 2)
        {
            *(long*)(_bytes + item[0]) = item[1];
            _region.Flush(item[0], sizeof(long));
        }
    }

    private byte* SlotOf(long sequence)
    {
        bool isOne = Probe.On && Probe.Has(SeededBug.RedoReusedEarly);
        return _bytes + _space.RedoAt + (isOne ? 0 : (sequence & 1) * _slotBytes);
    }

    private uint Compute(byte* slot, long sequence)
    {
        int words = *(int*)(slot + WordsAt), blocks = *(int*)(slot + BlocksAt);
        uint crc = BitOperations.Crc32C(BitOperations.Crc32C(uint.MaxValue, _identity), (ulong)_part);
        crc = BitOperations.Crc32C(BitOperations.Crc32C(crc, (ulong)sequence), *(ulong*)(slot + WordsAt));
        crc = BitOperations.Crc32C(crc, *(uint*)(slot + ChecksumAt + sizeof(int)));
        var item = (long*)(slot + HeaderBytes);
        crc = Crc32C.Add(crc, new ReadOnlySpan<byte>(item, (words + blocks) * ItemBytes));
        if (Probe.On && Probe.Has(SeededBug.RedoWithoutBlocks)) return ~crc;
        for (int i = words; i < words + blocks; i++)
        {
            int size = (int)(item[(2 * i) + 1] - BackEntry.ContentAt);
            crc = Crc32C.Add(crc, new ReadOnlySpan<byte>(_bytes + item[2 * i] + BackEntry.ContentAt, size));
        }

        return ~crc;
    }
}
