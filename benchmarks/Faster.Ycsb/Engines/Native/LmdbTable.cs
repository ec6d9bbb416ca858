using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>An environment of LMDB with one table of integer keys, empty at first. Thread-safe.</summary>
internal sealed class LmdbTable : IDisposable
{
    private const uint MaxReaders = 512;
    private const uint FileMode = 0x1A4; // rw-r--r--
    private const long MinMap = 1L << 30;
    private const int RecordOverhead = 64;
    private const int Slack = 4;

    private readonly uint _table;

    /// <summary>Opens it in a folder.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="keys">How many keys it will hold.</param>
    /// <param name="valueBytes">The size of each value.</param>
    /// <param name="flags">How it is opened, besides that read transactions are not bound to threads.</param>
    public LmdbTable(string folder, long keys, int valueBytes, uint flags)
    {
        LmdbLibrary.Require(LmdbLibrary.Create(out nint environment));
        Environment = environment;
        long map = MinMap + (Slack * keys * (RecordOverhead + valueBytes));
        LmdbLibrary.Require(LmdbLibrary.SetMapSize(environment, (nuint)map));
        LmdbLibrary.Require(LmdbLibrary.SetMaxReaders(environment, MaxReaders));
        LmdbLibrary.Require(LmdbLibrary.Open(
            environment, folder, flags | LmdbLibrary.NoThreadLocalReaders, FileMode));
        LmdbLibrary.Require(LmdbLibrary.Begin(environment, 0, 0, out nint transaction));
        LmdbLibrary.Require(LmdbLibrary.OpenTable(transaction, 0, LmdbLibrary.IntegerKeys, out _table));
        LmdbLibrary.Require(LmdbLibrary.Commit(transaction));
    }

    /// <summary>The environment.</summary>
    public nint Environment { get; }

    /// <summary>The value of a key as a transaction sees it, valid until it writes or ends.</summary>
    public unsafe LmdbLibrary.Slice Get(nint transaction, long key)
    {
        var name = new LmdbLibrary.Slice { Length = sizeof(long), Start = (byte*)&key };
        LmdbLibrary.Slice value;
        int code = LmdbLibrary.Get(transaction, _table, &name, &value);
        if (code == LmdbLibrary.NotFound)
            throw new WrongAnswerException($"LMDB lost key {key}.");
        LmdbLibrary.Require(code);
        return value;
    }

    /// <summary>Puts a value.</summary>
    public unsafe void Put(nint transaction, long key, ReadOnlySpan<byte> value)
    {
        var name = new LmdbLibrary.Slice { Length = sizeof(long), Start = (byte*)&key };
        fixed (byte* start = value)
        {
            var slice = new LmdbLibrary.Slice { Length = (nuint)value.Length, Start = start };
            LmdbLibrary.Require(LmdbLibrary.Put(transaction, _table, &name, &slice, 0));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => LmdbLibrary.Close(Environment);
}
