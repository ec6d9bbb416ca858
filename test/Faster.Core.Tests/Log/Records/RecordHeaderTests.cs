using Faster.Index;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>The header's bits are those of docs/formats/record.md.</summary>
public sealed unsafe class RecordHeaderTests
{
    [Fact]
    public void The_bits_share_nothing_and_cover_the_word()
    {
        ulong[] flags =
        [
            RecordHeader.Invalid, RecordHeader.Tombstone, RecordHeader.Sealed, RecordHeader.Delta,
                RecordHeader.ChainJoin,
            RecordHeader.Expiring, RecordHeader.Large, RecordHeader.Latch,
        ];
        for (int i = 0; i < flags.Length; i++) Assert.Equal(1UL << (56 + i), flags[i]);
        ulong version = 0xFFUL << RecordHeader.VersionShift;
        Assert.Equal(ulong.MaxValue, flags.Aggregate(RecordHeader.AddressMask + version, (all, flag) => all + flag));
        Assert.Equal(EntryWord.AddressMask, RecordHeader.AddressMask);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(64)]
    [InlineData((1L << 48) - 8)]
    public void A_header_keeps_its_address_and_is_never_zero(long previous)
    {
        ulong header = RecordHeader.Make(previous, RecordHeader.Tombstone);
        Assert.Equal(previous, RecordHeader.Previous(header));
        Assert.Equal(RecordHeader.CodeOf(RecordHeader.FirstVersion), RecordHeader.VersionCode(header));
        Assert.NotEqual(0UL, header & RecordHeader.Tombstone);
        Assert.NotEqual(0UL, RecordHeader.Make(previous));
    }

    [Fact]
    public void Another_previous_address_changes_nothing_else()
    {
        ulong header = RecordHeader.Make(8, RecordHeader.Sealed | RecordHeader.Latch);
        Assert.Equal(
            RecordHeader.Make(4096, RecordHeader.Sealed | RecordHeader.Latch), RecordHeader.WithPrevious(header, 4096));
    }

    [Fact]
    public void Flags_and_version_are_written_without_what_another_thread_may_write()
    {
        ulong one = RecordHeader.VersionBits(1), other = RecordHeader.VersionBits(2);
        ulong word = 8 | one | RecordHeader.Latch;
        byte* record = (byte*)&word;
        RecordHeader.WriteFlags(record, 16 | other | RecordHeader.Sealed);
        Assert.Equal(8 | one | RecordHeader.Sealed, RecordHeader.Read(record));
        RecordHeader.Stamp(record, RecordHeader.CodeOf(2));
        Assert.Equal(8 | other | RecordHeader.Sealed, RecordHeader.Read(record));
        RecordHeader.WriteStamped(record, 16 | one | RecordHeader.Delta);
        Assert.Equal(8 | one | RecordHeader.Delta, RecordHeader.Read(record));
    }

    [Fact]
    public void A_header_is_replaced_only_when_it_is_what_was_expected()
    {
        ulong word = RecordHeader.Make(8);
        byte* record = (byte*)&word;
        Assert.False(RecordHeader.TryReplace(record, RecordHeader.Make(16), RecordHeader.Make(24)));
        Assert.Equal(RecordHeader.Make(8), RecordHeader.Read(record));
        Assert.True(RecordHeader.TryReplace(record, RecordHeader.Make(8), RecordHeader.Make(24)));
        Assert.Equal(RecordHeader.Make(24), RecordHeader.Read(record));
    }
}
