using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Index;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Checkpoints.Index;

/// <summary>The bytes of index checkpoints, of this and the earlier version; all that differs is refused.</summary>
public sealed unsafe class PackedIndexTests : IDisposable
{
    private const ulong Owner = 77;
    private const string Name = "index.000000000001";
    private const long Limit = 1L << 48;
    private const int SectionAt = 8; // in the content

    private readonly TemporaryFolder _folder = new();
    private readonly EpochTable _epochs = new();
    private readonly FolderFiles _files;

    public PackedIndexTests()
    {
        var calls = new FakeFileCalls { OnSync = static () => 0 };
        _files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
    }

    private string FilePath => Path.Combine(_folder.Path, Name);

    public void Dispose()
    {
        _files.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void The_bytes_are_those_of_the_page_on_the_format()
    {
        using var index = new HashIndex(_epochs, 3);
        Insert(index, 0, tag: 0x3FFF, address: 64);
        Insert(index, 2, tag: 1, address: 0x12345678);
        Insert(index, 2, tag: 2, address: 72);
        Assert.True(SharedTagChain.ShareTags(index.State.Table.Buckets + 2));
        byte[] expected =
        [
            3, 0, 0, 0, 0, 0, 0, 0,
            18, 0, 0, 0, 3, 0, 5, 3,            // 18 bytes, 3 chains, entries of 5 bytes, addresses of 8-byte units
            1, 0x08, 0, 0, 0xFC, 0xFF,          // 0x3FFF << 26 | 64 / 8
            0,
            0x82, 0xCF, 0x8A, 0x46, 0x06, 0, 0x09, 0, 0, 0x08, 0, // 1 << 26 | 0x12345678 / 8, 2 << 26 | 72 / 8
        ];
        Assert.Equal(expected, Content(Write(index))[..expected.Length]);
    }

    [Theory]
    [InlineData(1, 3)]            // the largest address, and the bytes of an entry
    [InlineData(0x7FF, 4)]
    [InlineData(64, 3)]
    [InlineData(0x3FFFF, 4)]
    [InlineData(0x1FFFFFF8, 5)]
    [InlineData(0x20000000, 5)]   // one bit only: its zeros are left out
    [InlineData(0x20000008, 6)]
    [InlineData(Limit - 1, 8)]
    public void An_entry_takes_what_the_largest_address_needs(long address, int bytes)
    {
        using var index = new HashIndex(_epochs, 5);
        for (uint tag = 0; tag < 20; tag++) Insert(index, 3, 0x3FFF - tag, address);
        IndexReference reference = Write(index);
        Assert.Equal(bytes, Content(reference)[SectionAt + 6]);
        using HashIndex loaded = Load(reference, 5);
        for (uint tag = 0; tag < 20; tag++)
        {
            Assert.True(HashIndex.Find(loaded.State.Table.Buckets + 3, 0x3FFF - tag, out ulong word) != null);
            Assert.Equal(EntryWord.Of(0x3FFF - tag, address), word);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(126)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(1 << 14)] // all tags
    public void A_chain_of_any_length_is_loaded(int entries)
    {
        using var index = new HashIndex(_epochs, 2);
        for (uint tag = 0; tag < entries; tag++) Insert(index, 1, tag, 8L * (tag + 1));
        using HashIndex loaded = Load(Write(index), 2);
        Assert.Equal(index.OverflowBuckets, loaded.OverflowBuckets);
        HashBucket* first = loaded.State.Table.Buckets + 1;
        for (uint tag = 0; tag < entries; tag++)
        {
            Assert.True(HashIndex.Find(first, tag, out ulong word) != null);
            Assert.Equal(EntryWord.Of(tag, 8L * (tag + 1)), word);
        }

        int found = 0;
        for (HashBucket* bucket = first; bucket != null; bucket = HashBucket.Next(bucket))
            for (int i = 0; i < HashBucket.EntryCount; i++) found += bucket->Entries[i] != 0 ? 1 : 0;
        Assert.Equal(entries, found);
    }

    [Fact]
    public void Slots_of_removed_entries_are_left_out()
    {
        using var index = new HashIndex(_epochs, 1);
        for (uint tag = 0; tag < 30; tag++) Insert(index, 0, tag, 8L * (tag + 1));
        for (uint tag = 0; tag < 30; tag++)
        {
            if (tag % 3 == 0) continue;
            ulong* slot = HashIndex.Find(index.State.Table.Buckets, tag, out ulong word);
            Assert.True(HashIndex.TryRemove(slot, word));
        }

        using HashIndex loaded = Load(Write(index), 1);
        Assert.Equal(1, loaded.OverflowBuckets); // ten entries
        for (uint tag = 0; tag < 30; tag++)
        {
            bool isThere = HashIndex.Find(loaded.State.Table.Buckets, tag, out _) != null;
            Assert.Equal(tag % 3 == 0, isThere);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void Another_version_is_refused_by_its_number(uint version)
    {
        using HashIndex index = Some();
        using var writer = new ChecksummedFileWriter(
            _files, Name, ChecksummedFileKind.Index with { Version = version }, Owner);
        writer.Write(Content(Write(index)));
        var reference = new IndexReference(Name, writer.Identity, writer.Complete(), 1, 2);
        var error = Assert.Throws<DamagedDataException>(() => Load(reference, 4).Dispose());
        Assert.Contains($"version is {version}; this library reads version 1", error.Message,
            StringComparison.Ordinal);
        Assert.Equal(8, error.Offset);
    }

    [Fact]
    public void Every_changed_byte_is_refused()
    {
        using HashIndex index = Some();
        IndexReference reference = Write(index);
        byte[] sound = File.ReadAllBytes(FilePath);
        Assert.Equal(4096, sound.Length);
        for (int at = 0; at < sound.Length; at++)
        {
            byte[] bytes = [.. sound];
            bytes[at] ^= (byte)(1 << (at % 8));
            File.WriteAllBytes(FilePath, bytes);
            var error = Assert.Throws<DamagedDataException>(() => Load(reference, 4).Dispose());
            Assert.Equal(FilePath, error.Path);
            Assert.InRange(error.Offset, at / BlockFormat.BlockSize * BlockFormat.BlockSize, at);
        }
    }

    [Theory]
    [InlineData(0, 0)]               // the section's bytes: none
    [InlineData(0, 1)]
    [InlineData(0, 0x7FFFFFFF)]
    [InlineData(0, -1)]
    [InlineData(4, 0)]               // the number of chains, and the size of entries
    [InlineData(4, 0x03050005)]      // more chains than buckets
    [InlineData(4, 0x03020004)]      // entries of two bytes
    [InlineData(4, 0x03090004)]      // of nine
    [InlineData(4, 0x08050004)]      // eight bits left out
    [InlineData(4, 0x03060004)]      // entries larger than they are
    [InlineData(4, 0x03050003)]      // fewer chains than there are
    [InlineData(8, 0x0500007F)]      // a chain of many entries that are few
    [InlineData(8, 0x7FFFFF7F)]      // of more than there are tags
    [InlineData(8, 0x00000004)]      // of another number than there are
    public void A_section_that_no_writer_makes_is_refused(int at, int word)
    {
        using HashIndex index = Some();
        byte[] content = Content(Write(index));
        Assert.Equal(0x03050004, BinaryPrimitives.ReadInt32LittleEndian(content.AsSpan(SectionAt + 4)));
        BinaryPrimitives.WriteInt32LittleEndian(content.AsSpan(SectionAt + at), word);
        var error = Assert.Throws<DamagedDataException>(() => Load(WriteContent(content), 4).Dispose());
        Assert.Equal(FilePath, error.Path);
        Assert.InRange(error.Offset, 32 + SectionAt, content.Length + 32);
    }

    [Fact]
    public void A_damaged_chain_behind_many_is_found_by_its_byte()
    {
        const int Buckets = 60_000; // too many for one thread
        using var index = new HashIndex(_epochs, Buckets);
        for (int i = 0; i < Buckets; i++)
            for (uint tag = 0; tag < 4; tag++) Insert(index, i, tag, 0x10000000 + (8L * i));
        byte[] content = Content(Write(index));
        int last = content.AsSpan().LastIndexOf((byte)4); // a chain's first byte is the number of its entries
        content.AsSpan(last + 1, 5).Clear();              // the address 0
        var error = Assert.Throws<DamagedDataException>(() => Load(WriteContent(content), Buckets).Dispose());
        (int blocks, int rest) = Math.DivRem(last + 32, BlockFormat.Payload);
        Assert.Equal((blocks * BlockFormat.BlockSize) + rest, error.Offset);
    }

    [Fact]
    public void The_largest_section_that_a_writer_makes_is_loaded()
    {
        // One entry less than make a section full, and as many chains; the counts of most entries take three bytes.
        int[] almostFull = [.. Enumerable.Repeat(127, 28), 27, .. new int[482]], section = [.. almostFull, 1 << 14];
        IndexReference reference = WriteSections(
            out bool isFull, section, section, section, section); // for several threads
        Assert.False(isFull);
        var header = MemoryMarshal.Read<IndexSectionHeader>(Content(reference).AsSpan(SectionAt));
        Assert.Equal((160_306, 512, 8), (header.Bytes, header.Chains, header.EntryBytes));
        CheckSections(reference, section, section, section, section);
    }

    [Fact]
    public void A_section_of_the_maximum_length_is_loaded_and_a_longer_one_is_refused()
    {
        int[] longest = [1 << 14, (1 << 14) - 1, 0, 0];
        CheckSections(WriteSections(out _, longest), longest);
        int[] less = [1 << 14, (1 << 14) - 3, 0, 0]; // with one of the longest, it fills a buffer of several threads
        CheckSections(WriteSections(out _, less, longest, longest), less, longest, longest);

        byte[] content = [.. Content(WriteSections(out _, longest)), 0]; // one more chain, an empty one
        BinaryPrimitives.WriteInt64LittleEndian(content, 5);
        Span<byte> section = content.AsSpan(SectionAt);
        Assert.Equal(IndexSectionHeader.MaxBytes, BinaryPrimitives.ReadInt32LittleEndian(section));
        BinaryPrimitives.WriteInt32LittleEndian(section, IndexSectionHeader.MaxBytes + 1);
        section[4] = 5;
        var error = Assert.Throws<DamagedDataException>(() => Load(WriteContent(content), 5).Dispose());
        Assert.Equal(32 + SectionAt, error.Offset);
    }

    [Fact]
    public void An_index_that_is_half_full_takes_less_than_half_of_its_memory()
    {
        const int Buckets = 10_000;
        using var index = new HashIndex(_epochs, Buckets);
        for (int i = 0; i < Buckets; i++)
            for (uint tag = 0; tag < 4; tag++) Insert(index, i, tag, 64 + (8L * i));
        Assert.InRange(Write(index).Bytes, 1, Buckets * 22);
    }

    // Chains of 3, 0, 20 and 1 entries; the third one shares tags.
    private HashIndex Some()
    {
        var index = new HashIndex(_epochs, 4);
        for (uint tag = 0; tag < 3; tag++) Insert(index, 0, tag, 0x11111110 + (8L * tag));
        for (uint tag = 0; tag < 20; tag++) Insert(index, 2, tag, 0x12345678 + (8L * tag));
        Insert(index, 3, 9, 64);
        Assert.True(SharedTagChain.ShareTags(index.State.Table.Buckets + 2));
        index.State.Table.CountSharedTags();
        return index;
    }

    private static void Insert(HashIndex index, long bucket, uint tag, long address) =>
        Assert.True(index.TryInsert(index.State.Table.Buckets + bucket, tag, address));

    private IndexReference Write(HashIndex index)
    {
        long tail = 999;
        return IndexCheckpointWriter.WriteAsync(index, _epochs, () => ++tail, _files, Name, Owner)
            .GetAwaiter().GetResult().Reference;
    }

    // Sections of chains of so many entries, of eight bytes each; and whether a writer would have ended one earlier.
    private IndexReference WriteSections(out bool isFull, params int[][] sections)
    {
        isFull = false;
        using var writer = new ChecksummedFileWriter(_files, Name, ChecksummedFileKind.Index, Owner);
        long buckets = sections.Sum(static section => section.Length);
        writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(ref buckets)));
        var packer = new IndexSectionPacker(writer);
        foreach (int[] section in sections)
        {
            foreach (int entries in section)
            {
                isFull |= packer.IsFull;
                packer.Add(Words(entries), sharesTags: false);
            }

            packer.Flush();
        }

        return new IndexReference(Name, writer.Identity, writer.Complete(), 1, 2);
    }

    private void CheckSections(IndexReference reference, params int[][] sections)
    {
        int[] chains = [.. sections.SelectMany(static section => section)];
        using HashIndex loaded = Load(reference, chains.Length);
        for (int i = 0; i < chains.Length; i++)
        {
            var words = new List<ulong>();
            for (HashBucket* bucket = loaded.State.Table.Buckets + i; bucket != null; bucket = HashBucket.Next(bucket))
                words.AddRange(new ReadOnlySpan<ulong>(bucket->Entries, HashBucket.EntryCount));
            Assert.True(words.Where(static word => word != 0).SequenceEqual(Words(chains[i])), $"Chain {i} differs.");
        }
    }

    private static ulong[] Words(int entries) =>
        [.. Enumerable.Range(0, entries).Select(static tag => EntryWord.Of((uint)tag, Limit - 1 - (2 * tag)))];

    private IndexReference WriteContent(byte[] content)
    {
        using var writer = new ChecksummedFileWriter(_files, Name, ChecksummedFileKind.Index, Owner);
        writer.Write(content);
        return new IndexReference(Name, writer.Identity, writer.Complete(), 1, 2);
    }

    private HashIndex Load(IndexReference reference, long buckets)
    {
        var index = new HashIndex(_epochs, buckets);
        try
        {
            IndexCheckpointReader.Load(_files, reference, Owner, index.State.Table, Limit);
            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    private byte[] Content(IndexReference reference)
    {
        using var reader = new ChecksummedFileReader(
            _files, Name, ChecksummedFileKind.Index, Owner, reference.Identity, reference.Bytes);
        byte[] content = new byte[(int)reader.Remaining];
        reader.Read(content);
        return content[..Math.Min(content.AsSpan().TrimEnd((byte)0).Length + 4, content.Length)]; // an entry may end so
    }
}
