using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>A client of LMDB: a transaction for reads, renewed for each chunk, or one for writes.</summary>
internal sealed unsafe class LmdbWorker : NativeWorker
{
    private readonly nint _environment;
    private readonly uint _table;
    private readonly nint _reading;
    private readonly byte[] _value;
    private nint _writing;

    /// <summary>Starts the client.</summary>
    public LmdbWorker(nint environment, uint table, int valueBytes)
    {
        _environment = environment;
        _table = table;
        _value = new byte[valueBytes];
        LmdbLibrary.Require(LmdbLibrary.Begin(environment, 0, LmdbLibrary.ReadOnly, out _reading));
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
            LmdbLibrary.Require(LmdbLibrary.Begin(_environment, 0, 0, out _writing));
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
    protected override long ReadWord(long key)
    {
        var name = new LmdbLibrary.Slice { Length = sizeof(long), Start = (byte*)&key };
        LmdbLibrary.Slice value;
        int code = LmdbLibrary.Get(Current, _table, &name, &value);
        if (code == LmdbLibrary.NotFound)
            throw new WrongAnswerException($"LMDB lost key {key}.");
        LmdbLibrary.Require(code);
        new ReadOnlySpan<byte>(value.Start, (int)value.Length).CopyTo(_value);
        return MemoryMarshal.Read<long>(_value);
    }

    /// <inheritdoc/>
    protected override void Put(long key, long word)
    {
        MemoryMarshal.Write(_value, word);
        var name = new LmdbLibrary.Slice { Length = sizeof(long), Start = (byte*)&key };
        fixed (byte* start = _value)
        {
            var value = new LmdbLibrary.Slice { Length = (nuint)_value.Length, Start = start };
            LmdbLibrary.Require(LmdbLibrary.Put(_writing, _table, &name, &value, 0));
        }
    }

    /// <inheritdoc/>
    protected override void AddOne(long key) => Put(key, ReadWord(key) + 1);
}
