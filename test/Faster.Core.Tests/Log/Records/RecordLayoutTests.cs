using Faster.Contracts;
using Faster.Log.Records;

namespace Faster.Tests.Log.Records;

/// <summary>Sizes and places of keys and values, for each of the four shapes of records.</summary>
public sealed unsafe class RecordLayoutTests
{
    private const int Limit = 4096;
    private static readonly RecordLayout Fixed = new(new RecordSchema(8, 8, 8, "", ""));
    private static readonly RecordLayout Odd = new(new RecordSchema(16, 12, 5, "", ""));
    private static readonly RecordLayout VaryingKey = new(new RecordSchema(0, 0, 5, "", ""));
    private static readonly RecordLayout VaryingValue = new(new RecordSchema(8, 8, 0, "", ""));
    private static readonly RecordLayout Varying = new(new RecordSchema(0, 0, 0, "", ""));

    [Fact]
    public void Eight_and_eight_bytes_make_a_record_of_24()
    {
        Assert.Equal((24, 24, 8), (Fixed.FixedRecordSize, Fixed.MinRecordSize, Fixed.ValueSize));
        Assert.Equal((32, 32), (Odd.FixedRecordSize, Odd.MinRecordSize));
        Assert.Equal((0, 24), (VaryingKey.FixedRecordSize, VaryingKey.MinRecordSize));
        Assert.Equal((0, 24), (VaryingValue.FixedRecordSize, VaryingValue.MinRecordSize));
        Assert.Equal((0, 24), (Varying.FixedRecordSize, Varying.MinRecordSize));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(4, 8)]
    [InlineData(5, 9)]
    [InlineData(100, 1000)]
    public void Key_value_and_size_are_found_in_a_varying_record(int keyLength, int valueLength)
    {
        byte[] bytes = Make(keyLength, valueLength, capacity: valueLength + 3);
        fixed (byte* record = bytes)
        {
            Assert.Equal(bytes.Length, Varying.RecordSize(record));
            Assert.Equal(bytes.Length, Varying.TrySize(record, bytes.Length, Limit));
            Assert.Equal(Enumerable.Repeat((byte)7, keyLength), Varying.Key(record).ToArray());
            Assert.Equal(Enumerable.Repeat((byte)9, valueLength), Varying.Value(record).ToArray());
        }
    }

    [Fact]
    public void A_record_cut_short_asks_for_what_it_needs_until_it_can_tell()
    {
        byte[] bytes = Make(20, 100, capacity: 100);
        fixed (byte* record = bytes)
        {
            Assert.Equal(16, Varying.TrySize(record, 8, Limit));
            Assert.Equal(16, Varying.TrySize(record, 15, Limit));
            Assert.Equal(8 + 24 + 8, Varying.TrySize(record, 16, Limit));
            Assert.Equal(8 + 24 + 8, Varying.TrySize(record, 39, Limit));
            Assert.Equal(bytes.Length, Varying.TrySize(record, 40, Limit));
        }
    }

    [Fact]
    public void Every_truncation_asks_for_more_than_is_there_or_tells_the_size()
    {
        byte[] bytes = Make(20, 100, capacity: 100);
        foreach (RecordLayout layout in new[] { Fixed, Odd, VaryingKey, VaryingValue, Varying })
        {
            fixed (byte* record = bytes)
            {
                long size = layout.TrySize(record, bytes.Length, int.MaxValue);
                for (int available = 8; available < bytes.Length && size > 0; available++)
                {
                    long told = layout.TrySize(record, available, int.MaxValue);
                    Assert.True(told == size || (told > available && told <= size), $"{told} of {size} at {available}");
                }
            }
        }
    }

    [Theory]
    [InlineData(uint.MaxValue, 0u, 0u)]
    [InlineData(4097u, 0u, 0u)]
    [InlineData(0u, 0u, uint.MaxValue)]
    [InlineData(0u, 0u, 4097u)]
    [InlineData(0u, 9u, 8u)]
    [InlineData(0u, uint.MaxValue, 8u)]
    public void Lengths_that_make_no_sense_are_refused(uint keyLength, uint valueLength, uint capacity)
    {
        byte[] bytes = Make(0, 0, capacity: 64);
        BitConverter.TryWriteBytes(bytes.AsSpan(8), keyLength);
        BitConverter.TryWriteBytes(bytes.AsSpan(16), valueLength);
        BitConverter.TryWriteBytes(bytes.AsSpan(20), capacity);
        fixed (byte* record = bytes) Assert.True(Varying.TrySize(record, bytes.Length, Limit) < 0);
    }

    [Fact]
    public void A_records_hash_is_that_of_its_key()
    {
        var seed = new HashSeed(1, 2);
        byte[] bytes = new byte[64];
        fixed (byte* record = bytes)
        {
            new UnmanagedKey<long>(-5).WriteTo(record + 8);
            Assert.Equal(new UnmanagedKey<long>(-5).Hash(seed), Fixed.Hash(record, seed));
            new BytesKey("twelve bytes"u8).WriteTo(record + 8);
            Assert.Equal(new BytesKey("twelve bytes"u8).Hash(seed), Varying.Hash(record, seed));
            new UnmanagedKey<Triple>(new Triple(1, 2, 3)).WriteTo(record + 8);
            Assert.Equal(new UnmanagedKey<Triple>(new Triple(1, 2, 3)).Hash(seed), Odd.Hash(record, seed));
        }
    }

    private readonly record struct Triple(int A, int B, int C);

    private static byte[] Make(int keyLength, int valueLength, int capacity)
    {
        int keySlot = VariableLength.SlotSize(keyLength), valueSlot = (int)ValueLayout.SlotSize(capacity);
        byte[] bytes = new byte[8 + keySlot + valueSlot];
        BitConverter.TryWriteBytes(bytes, RecordHeader.Make(0));
        BitConverter.TryWriteBytes(bytes.AsSpan(8), keyLength);
        bytes.AsSpan(12, keyLength).Fill(7);
        BitConverter.TryWriteBytes(bytes.AsSpan(8 + keySlot), valueLength);
        BitConverter.TryWriteBytes(bytes.AsSpan(8 + keySlot + 4), capacity);
        bytes.AsSpan(8 + keySlot + 8, valueLength).Fill(9);
        return bytes;
    }
}
