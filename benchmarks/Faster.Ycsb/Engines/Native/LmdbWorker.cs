using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>A client of LMDB: a transaction for reads, renewed for each chunk, or one for writes.</summary>
internal sealed class LmdbWorker : NativeWorker
{
    private readonly LmdbTable _table;
    private readonly nint _reading;
    private readonly byte[] _value;
    private nint _writing;

    /// <summary>Starts the client.</summary>
    public LmdbWorker(LmdbTable table, int valueBytes)
    {
        _table = table;
        _value = new byte[valueBytes];
        LmdbLibrary.Require(LmdbLibrary.Begin(table.Environment, 0, LmdbLibrary.ReadOnly, out _reading));
        LmdbLibrary.Reset(_reading);
    }

    private nint Current => _writing != 0 ? _writing : _reading;

    /// <inheritdoc/>
    public override void Dispose()
    {
        LmdbLibrary.Abort(_reading);
        if (_writing != 0)
            LmdbLibrary.Abort(_writing);
    }

    /// <inheritdoc/>
    protected override void Begin(bool writes)
    {
        if (writes)
            LmdbLibrary.Require(LmdbLibrary.Begin(_table.Environment, 0, 0, out _writing));
        else
            LmdbLibrary.Require(LmdbLibrary.Renew(_reading));
    }

    /// <inheritdoc/>
    protected override void End()
    {
        nint writing = _writing;
        _writing = 0;
        if (writing != 0)
            LmdbLibrary.Require(LmdbLibrary.Commit(writing));
        else
            LmdbLibrary.Reset(_reading);
    }

    /// <inheritdoc/>
    protected override unsafe long ReadWord(long key)
    {
        LmdbLibrary.Slice value = _table.Get(Current, key);
        new ReadOnlySpan<byte>(value.Start, (int)value.Length).CopyTo(_value);
        return MemoryMarshal.Read<long>(_value);
    }

    /// <inheritdoc/>
    protected override void Put(long key, long word)
    {
        MemoryMarshal.Write(_value, word);
        _table.Put(_writing, key, _value);
    }

    /// <inheritdoc/>
    protected override void AddOne(long key) => Put(key, ReadWord(key) + 1);
}
