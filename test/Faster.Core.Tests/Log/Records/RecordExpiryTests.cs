using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>The bytes of records that expire (docs/formats/record.md).</summary>
public sealed unsafe class RecordExpiryTests
{
    private const long Expiry = 0x0102_0304_0506_0708;

    [Fact]
    public void The_expiry_stands_between_key_and_value_of_fixed_size()
    {
        var layout = new RecordLayout(new RecordSchema(8, 8, 8, "", ""));
        ulong header = RecordHeader.Make(64, RecordHeader.Expiring);
        byte[] bytes =
        [
            .. BitConverter.GetBytes(header),
            1, 0, 0, 0, 0, 0, 0, 0,
            8, 7, 6, 5, 4, 3, 2, 1,
            9, 0, 0, 0, 0, 0, 0, 0,
        ];
        fixed (byte* record = bytes)
        {
            Assert.Equal((32, 32L, 24), (layout.RecordSize(record), layout.TrySize(record, 32, 4096),
                layout.FixedRecordSize));
            Assert.Equal(1, BitConverter.ToInt64(layout.Key(record)));
            Assert.Equal(9, BitConverter.ToInt64(layout.Value(record)));
            Assert.Equal(Expiry, layout.Expiry(record));
            Assert.True(RecordExpiry.Value(record, header, 8, out long expiry) == record + 24);
            Assert.Equal(Expiry, expiry);
            Assert.False(RecordExpiry.IsDead(layout, record, header, Expiry - 1));
            Assert.True(RecordExpiry.IsDead(layout, record, header, Expiry));
        }
    }

    [Fact]
    public void A_record_of_varying_size_cut_short_asks_for_its_expiry_too()
    {
        var layout = new RecordLayout(new RecordSchema(0, 0, 0, "", ""));
        byte[] bytes = new byte[8 + 16 + 8 + 8 + 24];
        BitConverter.TryWriteBytes(bytes, RecordHeader.Make(64, RecordHeader.Expiring));
        BitConverter.TryWriteBytes(bytes.AsSpan(8), 9);
        BitConverter.TryWriteBytes(bytes.AsSpan(24), Expiry);
        BitConverter.TryWriteBytes(bytes.AsSpan(32), 20);
        BitConverter.TryWriteBytes(bytes.AsSpan(36), 24);
        fixed (byte* record = bytes)
        {
            Assert.Equal(40, layout.TrySize(record, 16, 4096));
            Assert.Equal(40, layout.TrySize(record, 39, 4096));
            Assert.Equal(64, layout.TrySize(record, 40, 4096));
            Assert.Equal(64, layout.RecordSize(record));
            Assert.Equal((9, 20), (layout.Key(record).Length, layout.Value(record).Length));
            Assert.Equal(Expiry, layout.Expiry(record));
        }
    }

    [Fact]
    public void A_record_without_the_flag_never_expires()
    {
        var layout = new RecordLayout(new RecordSchema(8, 8, 8, "", ""));
        byte[] bytes = new byte[24];
        BitConverter.TryWriteBytes(bytes, RecordHeader.Make(64));
        fixed (byte* record = bytes)
        {
            Assert.Equal(RecordExpiry.Never, layout.Expiry(record));
            Assert.False(RecordExpiry.IsDead(layout, record, RecordHeader.Make(64), long.MaxValue));
        }

        Assert.Equal(0UL, RecordExpiry.FlagFor(RecordExpiry.Never));
        Assert.Equal(8, RecordExpiry.SizeIn(RecordExpiry.FlagFor(0)));
        Assert.Equal(0, RecordExpiry.SizeIn(ulong.MaxValue & ~RecordHeader.Expiring));
    }
}
