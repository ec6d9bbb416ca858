using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// A client of RocksDB. A read-modify-write is a read and a write under one of many locks, which cost nothing beside
/// them: the store's own merge operators know counters of eight bytes only.
/// </summary>
internal unsafe class RocksWorker(RocksHandles handles) : NativeWorker
{
    private readonly byte[] _value = new byte[handles.ValueBytes];

    /// <inheritdoc/>
    public override void Dispose()
    {
        // A client is the store itself and a buffer.
    }

    /// <inheritdoc/>
    protected override void Begin(bool writes)
    {
        // Each call stands by itself.
    }

    /// <inheritdoc/>
    protected override void End()
    {
        // As above.
    }

    /// <inheritdoc/>
    protected override long ReadWord(long key)
    {
        long ordered = BinaryPrimitives.ReverseEndianness(key);
        nint slice = RocksLibrary.Get(
            handles.Store, handles.ReadOptions, (byte*)&ordered, sizeof(long), out nint error);
        RocksLibrary.Require(error);
        if (slice == 0)
            throw new WrongAnswerException($"RocksDB lost key {key}.");
        byte* value = RocksLibrary.ValueOf(slice, out nuint length);
        new ReadOnlySpan<byte>(value, (int)length).CopyTo(_value);
        RocksLibrary.Destroy(slice);
        return MemoryMarshal.Read<long>(_value);
    }

    /// <inheritdoc/>
    protected override void Put(long key, long word)
    {
        MemoryMarshal.Write(_value, word);
        long ordered = BinaryPrimitives.ReverseEndianness(key);
        fixed (byte* value = _value)
            Put((byte*)&ordered, sizeof(long), value, (nuint)_value.Length);
    }

    /// <summary>Sets a value, given as bytes.</summary>
    protected virtual void Put(byte* key, nuint keyLength, byte* value, nuint valueLength)
    {
        RocksLibrary.Put(
            handles.Store, handles.WriteOptions, key, keyLength, value, valueLength, out nint error);
        RocksLibrary.Require(error);
    }

    /// <inheritdoc/>
    protected override void AddOne(long key)
    {
        lock (handles.Locks[key % handles.Locks.Length])
            Put(key, ReadWord(key) + 1);
    }
}
