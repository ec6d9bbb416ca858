using System.Buffers.Binary;
using System.Numerics;
using System.Text;
using Faster.Contracts;
using Faster.Devices;

namespace Faster;

/// <summary>
/// A store's folder: the lock that keeps a second writer out, and the metadata file (docs/formats/store-metadata.md).
/// </summary>
/// <remarks>
/// Metadata is published by write to a temporary file, sync, rename, sync of the folder. Until commits exist a store's
/// log does not outlive the store: opening a folder checks its metadata and begins with an empty log.
/// </remarks>
internal sealed class StoreFolder : IDisposable
{
    private const string LockName = "store.lock", MetadataName = "store.meta", SegmentPattern = "log.*";
    private const uint FormatVersion = 1;
    private static readonly byte[] Magic = "FASTERNT"u8.ToArray();

    private readonly FileStream _lock;

    private StoreFolder(string path, FileStream @lock)
    {
        Path = path;
        _lock = @lock;
    }

    /// <summary>The folder.</summary>
    public string Path { get; }

    /// <summary>Opens or makes a folder and takes its lock.</summary>
    /// <exception cref="StoreOpenException">It is a file, not writable, or open elsewhere.</exception>
    public static StoreFolder Open(string path)
    {
        string full = System.IO.Path.GetFullPath(path);
        if (File.Exists(full))
            throw new StoreOpenException(
                $"'{full}' is a file. Name a folder for the store, or one that does not exist yet.");
        try
        {
            Directory.CreateDirectory(full);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StoreOpenException($"The folder '{full}' can't be made: {e.Message}", e);
        }

        string name = System.IO.Path.Combine(full, LockName);
        try
        {
            return new StoreFolder(
                full, new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
        }
        catch (UnauthorizedAccessException e)
        {
            throw new StoreOpenException($"The folder '{full}' is not writable: {e.Message}", e);
        }
        catch (IOException e)
        {
            throw new StoreOpenException(
                $"The store in '{full}' is open already, in this process or another: its lock '{LockName}' is taken. "
                + $"Close it there, or open another folder. ({e.Message})", e);
        }
    }

    /// <summary>Checks what an earlier store has left, removes its log, and publishes this store's metadata.</summary>
    /// <exception cref="StoreOpenException">The folder holds a store of other records.</exception>
    /// <exception cref="DamagedDataException">The metadata is damaged, or of another version.</exception>
    public void Begin(RecordSchema schema, HashSeed seed, BlockSeal seal, int pageBits)
    {
        string name = System.IO.Path.Combine(Path, MetadataName);
        if (File.Exists(name)) CheckMetadata(name, schema);
        foreach (string file in Directory.EnumerateFiles(Path, SegmentPattern))
        {
            if (IsSegment(file)) File.Delete(file);
        }

        Publish(name, Encode(schema, seed, seal, pageBits));
    }

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();

    // docs/formats/segments.md: «log.» and at least 12 digits; whatever else lies in the folder is not ours to delete.
    private static bool IsSegment(string file)
    {
        ReadOnlySpan<char> digits = System.IO.Path.GetExtension(file.AsSpan())[1..];
        return System.IO.Path.GetFileName(file.AsSpan()).Length == digits.Length + 4
            && digits.Length >= 12 && digits.IndexOfAnyExceptInRange('0', '9') < 0;
    }

    private static void CheckMetadata(string name, RecordSchema schema)
    {
        byte[] bytes = File.ReadAllBytes(name);
        if (bytes.Length < 20 || !bytes.AsSpan(0, 8).SequenceEqual(Magic))
            throw Damaged(name, "it does not begin with the mark of a store", 0);
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(8));
        if (version != FormatVersion)
        {
            throw Damaged(
                name, $"its format version is {version}; this library reads version {FormatVersion}. "
                + "Open it with the library that wrote it", 8);
        }

        uint length = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(12));
        if (length != bytes.Length) throw Damaged(name, $"it should have {length} bytes, not {bytes.Length}", 12);
        uint crc = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(bytes.Length - 4));
        if (crc != Checksum(bytes.AsSpan(0, bytes.Length - 4)))
            throw Damaged(name, "its checksum is wrong", bytes.Length - 4);
        RecordSchema found = DecodeSchema(bytes);
        if (found != schema)
        {
            throw new StoreOpenException(
                $"'{name}' belongs to a store of {found.KeyType} → {found.ValueType}, not of {schema.KeyType} → "
                + $"{schema.ValueType}. Open it with the store type that made it, or name another folder.");
        }
    }

    private static DamagedDataException Damaged(string name, string what, long offset) => new(
        $"'{name}' can't be trusted: {what} (byte {offset}). Restore the folder from a copy, or remove it to begin "
            + $"anew.")
    {
        Path = name,
        Offset = offset,
    };

    private static byte[] Encode(RecordSchema schema, HashSeed seed, BlockSeal seal, int pageBits)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream, Encoding.UTF8);
        writer.Write(Magic);
        writer.Write(FormatVersion);
        writer.Write(0u); // the length, known below
        writer.Write(seal.Identity);
        writer.Write(seal.Incarnation);
        writer.Write(pageBits);
        writer.Write(seed.A);
        writer.Write(seed.B);
        writer.Write(schema.KeySlotSize);
        writer.Write(schema.KeySize);
        writer.Write(schema.ValueSize);
        writer.Write(schema.KeyType);
        writer.Write(schema.ValueType);
        writer.Write(0u); // the checksum, known below
        writer.Flush();
        byte[] bytes = stream.ToArray();
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(12), (uint)bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(
            bytes.AsSpan(bytes.Length - 4), Checksum(bytes.AsSpan(0, bytes.Length - 4)));
        return bytes;
    }

    private static RecordSchema DecodeSchema(byte[] bytes)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes), Encoding.UTF8);
        reader.BaseStream.Position = 16 + 8 + 4 + 4 + 16;
        return new RecordSchema(
            reader.ReadInt32(), reader.ReadInt32(), reader.ReadInt32(), reader.ReadString(), reader.ReadString());
    }

    private static uint Checksum(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte b in bytes) crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }

    private void Publish(string name, byte[] bytes)
    {
        string temporary = name + ".new";
        using (FileStream file = new(temporary, FileMode.Create, FileAccess.Write))
        {
            file.Write(bytes);
            file.Flush();
            Check(FileCalls.Real.Sync(file.SafeFileHandle), temporary);
        }

        File.Move(temporary, name, overwrite: true);
        Check(FileCalls.Real.SyncFolder(Path), Path);
    }

    private static void Check(int error, string what)
    {
        if (error == 0) return;
        throw new StorageException($"'{what}' could not be synced to disk (error {error}). The store was not opened.");
    }
}
