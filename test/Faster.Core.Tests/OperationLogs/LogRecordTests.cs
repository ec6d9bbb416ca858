using System.Numerics;
using System.Runtime.InteropServices;
using Faster.OperationLogs;

namespace Faster.Tests.OperationLogs;

/// <summary>The bytes of a record, as docs/formats/operation-log.md says, and what a reader takes.</summary>
public sealed unsafe class LogRecordTests
{
    private const uint Life = 0x0A0B0C0D, Previous = 0x01020304;
    private static readonly uint Seed = LogRecord.SeedOf(TestRecords.Identity, 3, 4096);

    [Fact]
    public void The_bytes_are_those_of_the_page()
    {
        byte[] bytes = Sealed(Full, "ab");
        string expected = "68000000" + "????????" + "04030201" + "0D0C0B0A" // length, checksum, previous, life
            + "03" + "0F" + "0400" + "05000000" + "03000000" + "02000000"   // kind, flags, lengths, durable
            + "0700000000000000" + "0900000000000000"                       // version, counter
            + "0600000000000000" + "1100000000000000" + "1000000000000000"  // the session
            + "FFFF000000000000" + "6100620000000000" + "0102030405000000"  // expiry, name, key
            + "0A0B0C0000000000";
        Assert.Equal(expected.Length / 2, bytes.Length);
        string found = Convert.ToHexString(bytes);
        Assert.Equal(expected, string.Concat(found[..8], "????????", found[16..]));
        Assert.Equal(ChecksumOf(bytes), MemoryMarshal.Read<uint>(bytes.AsSpan(4)));
    }

    [Fact]
    public void All_parts_of_a_record_are_read_as_they_were_written()
    {
        byte[] bytes = Sealed(Full, "ab");
        fixed (byte* pointer = bytes)
        {
            LogRecord record = LogRecord.At((nint)pointer);
            Assert.True(LogRecord.IsAt(pointer, bytes.Length, Seed));
            Assert.Equal((LogRecordKind.Delta, 7L, 9L), (record.Kind, record.Version, record.Counter));
            Assert.True(record.IsInUnit);
            Assert.Equal(new LogRecordSession(6, 17, 16), record.Session);
            Assert.Equal((0xFFFFL, "ab", 16L), (record.Expiry, record.Name, record.DurableBack));
            Assert.Equal([1, 2, 3, 4, 5], record.Key.ToArray());
            Assert.Equal([10, 11, 12], record.ValueBytes.ToArray());
        }
    }

    [Fact]
    public void A_record_with_a_flipped_bit_is_refused()
    {
        byte[] bytes = Sealed(Full, "ab");
        for (int bit = 0; bit < 8 * bytes.Length; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            fixed (byte* pointer = bytes) Assert.False(LogRecord.IsAt(pointer, bytes.Length, Seed), $"bit {bit}");
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Fact]
    public void A_record_at_another_place_is_refused()
    {
        byte[] bytes = Sealed(Full, "ab");
        fixed (byte* pointer = bytes)
        {
            Assert.True(LogRecord.IsAt(pointer, bytes.Length, Seed));
            Assert.False(LogRecord.IsAt(pointer, bytes.Length, LogRecord.SeedOf(TestRecords.Identity, 3, 4096 + 8192)));
            Assert.False(LogRecord.IsAt(pointer, bytes.Length, LogRecord.SeedOf(TestRecords.Identity, 2, 4096)));
            Assert.False(LogRecord.IsAt(pointer, bytes.Length, LogRecord.SeedOf(TestRecords.Identity + 1, 3, 4096)));
            Assert.False(LogRecord.IsAt(pointer, bytes.Length - 8, Seed)); // it leads outside of what there is
        }
    }

    [Fact]
    public void Lengths_that_lead_outside_of_a_record_are_refused_also_with_a_right_checksum()
    {
        foreach ((int at, int value) in new[] { (0, 40), (0, 0x64), (16, 0), (16, 9), (18, 40), (20, 6000), (24, -1) })
        {
            byte[] bytes = Sealed(Full, "ab");
            if (at is 0 or >= 20) MemoryMarshal.Write(bytes.AsSpan(at), value);
            else bytes[at] = (byte)value;
            MemoryMarshal.Write(bytes.AsSpan(4), ChecksumOf(bytes));
            fixed (byte* pointer = bytes) Assert.False(LogRecord.IsAt(pointer, bytes.Length, Seed), $"{value} at {at}");
        }
    }

    [Fact]
    public void A_pad_is_checked_by_its_header_alone()
    {
        byte[] bytes = new byte[96];
        fixed (byte* pointer = bytes)
        {
            LogRecord.Pad(pointer, bytes.Length).Seal(Previous, Life, 0, Seed);
            bytes[60] = 1;
            Assert.True(LogRecord.IsAt(pointer, bytes.Length, Seed));
            bytes[40] = 1;
            Assert.False(LogRecord.IsAt(pointer, bytes.Length, Seed));
        }
    }

    private static LogRecordShape Full => new()
    {
        Kind = LogRecordKind.Delta, Version = 7, Counter = 9, Session = new LogRecordSession(6, 17, 16),
        Expiry = 0xFFFF, IsInUnit = true, KeyBytes = 5, ValueBytes = 3,
    };

    // The space holds anything before.
    private static byte[] Sealed(LogRecordShape shape, string name)
    {
        shape.Name = name;
        byte[] bytes = new byte[shape.Size];
        Array.Fill(bytes, (byte)0xEE);
        fixed (byte* pointer = bytes)
        {
            LogRecord record = LogRecord.Write(pointer, shape);
            new byte[] { 1, 2, 3, 4, 5 }.CopyTo(record.Key);
            new byte[] { 10, 11, 12 }.CopyTo(record.ValueBytes);
            Assert.Equal(record.Seal(Previous, Life, 16, Seed), record.Checksum);
        }

        return bytes;
    }

    // As the page says, byte by byte.
    private static uint ChecksumOf(byte[] bytes)
    {
        uint crc = uint.MaxValue;
        byte[] identity = BitConverter.GetBytes(TestRecords.Identity);
        byte[] all =
            [.. identity, .. BitConverter.GetBytes(3), .. BitConverter.GetBytes(4096L), .. bytes[..4], .. bytes[8..]];
        foreach (byte one in all) crc = BitOperations.Crc32C(crc, one);
        return ~crc;
    }
}
