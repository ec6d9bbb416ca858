using System.Collections.Concurrent;
using Faster.Log.Reads;

namespace Faster.HashChunks;

/// <summary>Reads chunks from disk, many at a time, and stages them.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every caller is called back once, with the chunk staged or with an error.</item>
/// <item>A read that fails for a record that the directory does not lead to any more is no error: the record may have
/// been truncated since, and is not needed.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed unsafe class ChunkReads(ChunkLog log, ChunkDirectory directory, ChunkStage stage)
{
    private readonly ConcurrentBag<ChunkRead> _idle = [];
    private long _count;

    /// <summary>The number of reads.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Reads the record of a chunk.</summary>
    /// <param name="chunk">The chunk.</param>
    /// <param name="address">The record's address, below Head.</param>
    /// <param name="onRead">Called once, on any thread.</param>
    /// <param name="own">The read queue of the session that waits, whose owner completes the read; or null.</param>
    public void Start(long chunk, long address, Action<Exception?> onRead, ReadQueue? own)
    {
        Interlocked.Increment(ref _count);
        if (!_idle.TryTake(out ChunkRead? read)) read = new ChunkRead(this);
        (read.Chunk, read.OnDone) = (chunk, onRead);
        ReadQueue queue = own?.Beside(log.Reader) ?? log.Reader.Shared;
        queue.Read(read, address, log.RecordBytes);
    }

    private void OnRead(ChunkRead read, byte* record, Exception? error)
    {
        (long chunk, Action<Exception?> onDone) = (read.Chunk, read.OnDone!);
        read.OnDone = null;
        long address = read.Address;
        error ??= Stage(read, record);
        if (directory.AddressOf(chunk) != address) error = null;
        _idle.Add(read);
        onDone(error);
    }

    private FasterException? Stage(ChunkRead read, byte* record)
    {
        try
        {
            read.Check(log.Reader, record);
            stage.Add(read.Chunk, read.Address, ChunkLog.WordsOf(record));
            return null;
        }
        catch (FasterException e)
        {
            return e;
        }
    }

    private sealed class ChunkRead(ChunkReads reads) : RecordRead
    {
        public long Chunk { get; set; }

        public Action<Exception?>? OnDone { get; set; }

        public override void OnRead(byte* record, Exception? error) => reads.OnRead(this, record, error);

        /// <summary>Checks that the record is one of the chunk.</summary>
        public void Check(LogReader reader, byte* record)
        {
            if (Examine(reader, record) > Available || ChunkLog.ChunkOf(record) != Chunk)
                throw reader.Storage.NoRecord(Address, *(ulong*)record);
        }
    }
}
