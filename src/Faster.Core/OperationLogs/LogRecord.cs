using System.Numerics;
using System.Runtime.InteropServices;

namespace Faster.OperationLogs;

/// <summary>A record of an operation log, where it lies (docs/formats/operation-log.md).</summary>
/// <remarks>
/// <para>Its checksum covers all of it, and is seeded with the log and the position; it holds the checksum of the
/// record before it, and a number of the life that wrote it. So a scan takes a record only where it was written, behind
/// the record that was there then: what an earlier lap or an earlier life has left is never taken.</para>
/// <para>Valid as long as its bytes are. Not thread-safe while it is written; once published it does not change.</para>
/// </remarks>
internal readonly unsafe ref struct LogRecord
{
    /// <summary>The size of what every record begins with.</summary>
    public const int HeaderBytes = 48;

    /// <summary>The bytes of the session's part.</summary>
    public const int SessionBytes = 24;

    private const byte SessionFlag = 1, ExpiryFlag = 2, NameFlag = 4, UnitFlag = 8;
    private const byte KnownFlags = SessionFlag | ExpiryFlag | NameFlag | UnitFlag;
    private const int LengthAt = 0, ChecksumAt = 4, PreviousAt = 8, LifeAt = 12, KindAt = 16, FlagsAt = 17;
    private const int NameBytesAt = 18, KeyBytesAt = 20, ValueBytesAt = 24, DurableBackAt = 28;
    private const int VersionAt = 32, CounterAt = 40;

    private LogRecord(byte* pointer) => Pointer = pointer;

    /// <summary>The first byte.</summary>
    public byte* Pointer { get; }

    /// <summary>The size in bytes, a multiple of 8.</summary>
    public int Length => *(int*)(Pointer + LengthAt);

    /// <summary>Covers the record, and is seeded with its place.</summary>
    public uint Checksum => *(uint*)(Pointer + ChecksumAt);

    /// <summary>The checksum of the record before it.</summary>
    public uint Previous => *(uint*)(Pointer + PreviousAt);

    /// <summary>The number of the life of the store that has written it.</summary>
    public uint Life => *(uint*)(Pointer + LifeAt);

    /// <summary>What it says.</summary>
    public LogRecordKind Kind => (LogRecordKind)Pointer[KindAt];

    /// <summary>The store's version in which it was done.</summary>
    public long Version => *(long*)(Pointer + VersionAt);

    /// <summary>The number that orders the changes of a key.</summary>
    public long Counter => *(long*)(Pointer + CounterAt);

    /// <summary>Whether the operation is part of a unit.</summary>
    public bool IsInUnit => Has(UnitFlag);

    /// <summary>How many bytes before the record the log was durable when it was written, at most.</summary>
    public long DurableBack => (long)*(uint*)(Pointer + DurableBackAt) * sizeof(long);

    /// <summary>The operation and its session; null where the record does not say.</summary>
    public LogRecordSession? Session
    {
        get
        {
            if (!Has(SessionFlag)) return null;
            byte* at = Pointer + HeaderBytes;
            return new LogRecordSession(*(uint*)at, *(long*)(at + 8), *(long*)(at + 16));
        }
    }

    /// <summary>When the value expires, in Unix milliseconds; null: never.</summary>
    public long? Expiry => Has(ExpiryFlag) ? *(long*)(Pointer + ExpiryAt) : null;

    /// <summary>The session's name; null where the record does not say.</summary>
    public string? Name => Has(NameFlag) ? new string((char*)(Pointer + NameAt), 0, NameBytes / sizeof(char)) : null;

    /// <summary>The bytes of the key's slot.</summary>
    public Span<byte> Key => new(Pointer + KeyAt, KeyBytes);

    /// <summary>The value, or what is merged into it.</summary>
    public Span<byte> ValueBytes => new(Pointer + KeyAt + Padded(KeyBytes), *(int*)(Pointer + ValueBytesAt));

    private int KeyBytes => *(int*)(Pointer + KeyBytesAt);

    private int NameBytes => *(ushort*)(Pointer + NameBytesAt);

    private int ExpiryAt => HeaderBytes + (Has(SessionFlag) ? SessionBytes : 0);

    private int NameAt => ExpiryAt + (Has(ExpiryFlag) ? sizeof(long) : 0);

    private int KeyAt => NameAt + (int)Padded(NameBytes);

    /// <summary>The record at an address.</summary>
    public static LogRecord At(nint pointer) => new((byte*)pointer);

    /// <summary>A number of bytes rounded up to a multiple of 8.</summary>
    public static long Padded(int bytes) => (bytes + 7L) & ~7L;

    /// <summary>Writes a record; the caller then writes key and value, and publishes it.</summary>
    /// <param name="pointer">The space for it.</param>
    /// <param name="shape">What it is made from.</param>
    public static LogRecord Write(byte* pointer, LogRecordShape shape)
    {
        int length = checked((int)shape.Size);
        new Span<byte>(pointer, HeaderBytes).Clear();
        *(ulong*)(pointer + length - sizeof(ulong)) = 0; // the padding of the last part
        *(int*)(pointer + LengthAt) = length;
        pointer[KindAt] = (byte)shape.Kind;
        pointer[FlagsAt] = (byte)((shape.Session is null ? 0 : SessionFlag) | (shape.Expiry is null ? 0 : ExpiryFlag)
            | (shape.Name is null ? 0 : NameFlag) | (shape.IsInUnit ? UnitFlag : 0));
        *(ushort*)(pointer + NameBytesAt) = (ushort)shape.NameBytes;
        *(int*)(pointer + KeyBytesAt) = shape.KeyBytes;
        *(int*)(pointer + ValueBytesAt) = shape.ValueBytes;
        *(long*)(pointer + VersionAt) = shape.Version;
        *(long*)(pointer + CounterAt) = shape.Counter;
        var record = new LogRecord(pointer);
        if (shape.Session is { } session)
        {
            byte* at = pointer + HeaderBytes;
            (*(ulong*)at, *(long*)(at + 8), *(long*)(at + 16)) = (session.Number, session.Serial, session.OldestOpen);
        }

        if (shape.Expiry is { } expiry) *(long*)(pointer + record.ExpiryAt) = expiry;
        record.WriteName(shape.Name);
        if (shape.KeyBytes != 0) *(ulong*)(pointer + record.KeyAt + Padded(shape.KeyBytes) - sizeof(ulong)) = 0;
        return record;
    }

    /// <summary>Writes a record that only fills space.</summary>
    public static LogRecord Pad(byte* pointer, int length)
    {
        new Span<byte>(pointer, HeaderBytes).Clear();
        *(int*)(pointer + LengthAt) = length;
        pointer[KindAt] = (byte)LogRecordKind.Pad;
        return new LogRecord(pointer);
    }

    /// <summary>Completes a record: from then on it must not change.</summary>
    /// <param name="previous">The checksum of the record before it.</param>
    /// <param name="life">The life that writes it.</param>
    /// <param name="durableBack">How many bytes before it the log is durable.</param>
    /// <param name="seed">The seed of its place.</param>
    /// <returns>Its checksum.</returns>
    public uint Seal(uint previous, uint life, long durableBack, uint seed)
    {
        *(uint*)(Pointer + PreviousAt) = previous;
        *(uint*)(Pointer + LifeAt) = life;
        *(uint*)(Pointer + DurableBackAt) = (uint)Math.Min((durableBack + 7) / sizeof(long), uint.MaxValue);
        return *(uint*)(Pointer + ChecksumAt) = Compute(seed);
    }

    /// <summary>
    /// Whether the bytes here are a whole record that was written at this place. No field leads outside of it then.
    /// </summary>
    /// <param name="pointer">The bytes, at least <see cref="HeaderBytes"/>.</param>
    /// <param name="available">How many bytes there are.</param>
    /// <param name="seed">The seed of the place.</param>
    public static bool IsAt(byte* pointer, long available, uint seed)
    {
        var record = new LogRecord(pointer);
        if (record.Length < HeaderBytes || record.Length > available || record.Length % sizeof(long) != 0) return false;
        if (record.Kind is < LogRecordKind.Put or > LogRecordKind.Transaction || !record.HasSoundParts()) return false;
        return record.Checksum == record.Compute(seed);
    }

    /// <summary>The seed of the checksums at a place.</summary>
    public static uint SeedOf(ulong identity, int log, long position) =>
        BitOperations.Crc32C(
            BitOperations.Crc32C(BitOperations.Crc32C(uint.MaxValue, identity), (uint)log), (ulong)position);

    private bool Has(byte flag) => (Pointer[FlagsAt] & flag) != 0;

    private bool HasSoundParts()
    {
        if ((Pointer[FlagsAt] & ~KnownFlags) != 0 || KeyBytes < 0 || *(int*)(Pointer + ValueBytesAt) < 0) return false;
        if (Kind == LogRecordKind.Pad) return true;
        return KeyAt + Padded(KeyBytes) + Padded(*(int*)(Pointer + ValueBytesAt)) == Length;
    }

    private void WriteName(string? name)
    {
        if (name is null) return;
        int padded = (int)Padded(NameBytes);
        *(ulong*)(Pointer + NameAt + padded - sizeof(ulong)) = 0;
        MemoryMarshal.AsBytes(name.AsSpan()).CopyTo(new Span<byte>(Pointer + NameAt, padded));
    }

    // Of a pad only the header: the rest is whatever was there.
    private uint Compute(uint seed)
    {
        int end = Kind == LogRecordKind.Pad ? HeaderBytes : Length;
        uint crc = BitOperations.Crc32C(seed, *(uint*)Pointer);
        for (byte* at = Pointer + PreviousAt; at < Pointer + end; at += sizeof(ulong))
            crc = BitOperations.Crc32C(crc, *(ulong*)at);
        return ~crc;
    }
}
