using System.Numerics;
using System.Runtime.CompilerServices;
using Faster.Checkpoints.Files;
using Faster.Index;
using Faster.Invariants;
using Faster.Log.Records;

namespace Faster.Checkpoints.Index;

/// <summary>
/// Collects chains of the index and writes them section by section, without their empty slots
/// (docs/formats/index-checkpoint.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A section holds as many bytes of each entry as its largest address needs, and no section is longer than
/// <see cref="IndexSectionHeader.MaxBytes"/>.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
/// <param name="file">The checkpoint's file.</param>
internal sealed unsafe class IndexSectionPacker(ChecksummedFileWriter file)
{
    private const int MaxChains = 512, FullEntries = MaxChains * HashBucket.EntryCount;
    private const int MaxChainHead = 3;  // bytes before a chain's entries
    private const int SharedTags = 1 << 15; // of a chain here, beside the number of its entries

    private readonly ushort[] _chains = new ushort[MaxChains];
    private ulong[] _entries = new ulong[FullEntries + HashBucket.EntryCount];
    private byte[] _packed = [];
    private int _chainCount;
    private int _entryCount;
    private ulong _bits; // of all entries, by OR

    /// <summary>Whether the section should be written before another chain is added.</summary>
    public bool IsFull => _chainCount == MaxChains || _entryCount >= FullEntries;

    /// <summary>Adds a chain; the section is not full.</summary>
    /// <param name="words">Its entries, of one tag each; words of 0 do not count.</param>
    /// <param name="sharesTags">Whether it has shared tags.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Add(ReadOnlySpan<ulong> words, bool sharesTags)
    {
        int count = _entryCount;
        if (count + words.Length > _entries.Length) Array.Resize(ref _entries, count + words.Length);
        ulong[] entries = _entries;
        ulong bits = _bits;
        foreach (ulong word in words)
        {
            entries[count] = word;
            bits |= word;
            count += word != 0 ? 1 : 0;
        }

        int added = count - _entryCount;
        Invariant.Check(
            added <= IndexSectionHeader.MaxEntries && _chainCount < MaxChains,
            $"a chain has an entry for each tag, in a section that is not full: {added}, {_chainCount}");
        _chains[_chainCount++] = (ushort)(added | (sharesTags ? SharedTags : 0));
        (_entryCount, _bits) = (count, bits);
    }

    /// <summary>Writes the section, and begins another one.</summary>
    /// <exception cref="StorageException">The file can't be written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Flush()
    {
        if (_chainCount == 0) return;
        Invariant.Check(
            (_bits & (EntryWord.Tentative | EntryWord.ReadCache)) == 0, $"all entries are final: {_bits:x}");
        ulong addresses = _bits & EntryWord.AddressMask;
        int shift = Math.Min(BitOperations.TrailingZeroCount(addresses), IndexSectionHeader.MaxAddressShift);
        int bits = 64 - BitOperations.LeadingZeroCount(addresses >> shift) + HashBits.TagBits;
        int entryBytes = Math.Max((bits + 7) / 8, IndexSectionHeader.MinEntryBytes);
        int most = IndexSectionHeader.SizeInBytes + (_chainCount * MaxChainHead) + (_entryCount * entryBytes);
        if (_packed.Length < most + sizeof(ulong)) _packed = new byte[most + sizeof(ulong)];
        fixed (byte* packed = _packed)
        {
            var header = new IndexSectionHeader(0, (ushort)_chainCount, (byte)entryBytes, (byte)shift);
            int bytes = Pack(header, packed + IndexSectionHeader.SizeInBytes);
            *(IndexSectionHeader*)packed = header with { Bytes = bytes };
            Invariant.Check(
                bytes is > 0 and <= IndexSectionHeader.MaxBytes, $"a section has a maximum length: {bytes} bytes");
            file.Write(packed, IndexSectionHeader.SizeInBytes + bytes);
        }

        (_chainCount, _entryCount, _bits) = (0, 0, 0);
    }

    // Writes up to eight bytes behind the last entry. A process may write few checkpoints: tiered compilation might
    // never optimize this method.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private int Pack(IndexSectionHeader header, byte* packed)
    {
        int entryBytes = header.EntryBytes, tagShift = header.TagShift, addressShift = header.AddressShift;
        byte* at = packed;
        fixed (ulong* entries = _entries)
        {
            ulong* next = entries;
            foreach (ushort chain in _chains.AsSpan(0, _chainCount))
            {
                int count = chain & ~SharedTags;
                byte shared = (chain & SharedTags) != 0 ? IndexSectionHeader.SharedTags : (byte)0;
                if (count < IndexSectionHeader.ManyEntries)
                {
                    *at++ = (byte)(shared | count);
                }
                else
                {
                    *at++ = (byte)(shared | IndexSectionHeader.ManyEntries);
                    Unsafe.WriteUnaligned(at, (ushort)count);
                    at += sizeof(ushort);
                }

                for (ulong* end = next + count; next < end; next++, at += entryBytes)
                {
                    ulong tag = *next >> EntryWord.TagShift, address = *next & EntryWord.AddressMask;
                    Unsafe.WriteUnaligned(at, (tag << tagShift) | (address >> addressShift));
                }
            }
        }

        return (int)(at - packed);
    }
}
