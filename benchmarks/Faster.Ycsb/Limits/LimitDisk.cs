using Faster.Workload;
using Microsoft.Win32.SafeHandles;

namespace Faster.Ycsb.Limits;

/// <summary>A file past the page cache, to measure the disk with. Removed with the folder that it lies in.</summary>
internal sealed unsafe class LimitDisk : IDisposable
{
    private const int SequentialBytes = LimitBuffers.SequentialBytes;

    private readonly SafeFileHandle _file;
    private readonly long _length;

    /// <summary>Makes the file, empty.</summary>
    /// <param name="folder">Where.</param>
    /// <param name="length">How long it will be; whole megabytes.</param>
    public LimitDisk(string folder, long length)
    {
        _length = LimitBuffers.WholeSteps(length);
        _file = Libc.OpenDirect(Path.Combine(folder, "limits"), out bool isDirect);
        IsDirect = isDirect;
    }

    /// <summary>Whether the page cache is bypassed.</summary>
    public bool IsDirect { get; }

    /// <summary>How many sequential writes fill the file.</summary>
    public int SequentialSteps => (int)(_length / SequentialBytes);

    /// <summary>Writes or reads from the start on, round and round.</summary>
    public LimitLoop Sequential(bool writes)
    {
        byte* buffer = LimitBuffers.Allocate(SequentialBytes);
        return (first, count) =>
        {
            for (long i = first; i < first + count; i++)
                Transfer(buffer, SequentialBytes, i % SequentialSteps * SequentialBytes, writes);
            return count;
        };
    }

    /// <summary>Reads blocks at random.</summary>
    public LimitLoop Random(int bytes, int thread)
    {
        byte* buffer = LimitBuffers.Allocate(bytes);
        // Other places for each size: what was read before may lie in a cache below the disk.
        var random = new SplitMix64(((ulong)bytes << 32) + (ulong)thread);
        int blocks = (int)Math.Min(_length / bytes, int.MaxValue);
        return (_, count) =>
        {
            for (int i = 0; i < count; i++)
                Transfer(buffer, bytes, (long)random.NextBelow(blocks) * bytes, writes: false);
            return count;
        };
    }

    /// <summary>Writes blocks one after the other, each durable before the next.</summary>
    public LimitLoop Synced(int bytes)
    {
        byte* buffer = LimitBuffers.Allocate(bytes);
        return (first, count) =>
        {
            for (long i = first; i < first + count; i++)
            {
                Transfer(buffer, bytes, i * bytes % _length, writes: true);
                Libc.SyncData(_file);
            }

            return count;
        };
    }

    /// <summary>Makes all of it durable.</summary>
    public void Sync() => Libc.SyncData(_file);

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    private void Transfer(byte* buffer, int bytes, long offset, bool writes)
    {
        var memory = new Span<byte>(buffer, bytes);
        if (writes)
            RandomAccess.Write(_file, memory, offset);
        else if (RandomAccess.Read(_file, memory, offset) != bytes)
            throw new IOException($"A read of {bytes} bytes at {offset} came back short.");
    }
}
