using Faster.Contracts;
using Faster.Memory;
using Faster.Persistence;

namespace Faster.Crash.Disk;

/// <summary>
/// A region of persistent memory that separates what the program sees from what a power cut would leave: of each cache
/// line of 64 bytes what was fenced, or any state that it has had since.
/// </summary>
/// <remarks>
/// What a fence makes certain of a line is what the line held at the flush, not at the fence: what was stored between
/// the two may be lost. States of a line since then are seen at flushes, fences and power cuts; each may be durable,
/// because a cache may evict a line at any time. It is stricter than a mapped file on a disk, which loses sectors.
/// Not thread-safe.
/// </remarks>
internal sealed unsafe class CrashRegion : RangeRegion
{
    /// <summary>The bytes of a cache line.</summary>
    public const int Line = 64;

    private readonly NativeBlock _memory;
    private readonly byte[] _certain;
    private readonly List<Version>[] _versions; // of each line since what is certain, oldest first

    private CrashRegion(CrashRegion killed)
        : this(killed._certain)
    {
        Buffer.MemoryCopy(killed.Pointer, Pointer, Length, Length);
        for (int line = 0; line < _versions.Length; line++)
            _versions[line].AddRange(killed._versions[line].Select(static version => new Version(version.Bytes)));
    }

    /// <summary>A region of which an image is durable.</summary>
    public CrashRegion(byte[] image)
    {
        _certain = (byte[])image.Clone();
        _memory = new NativeBlock(image.Length);
        image.CopyTo(new Span<byte>(Pointer, image.Length));
        _versions = [.. Enumerable.Range(0, image.Length / Line).Select(_ => new List<Version>())];
    }

    public override byte* Pointer => _memory.Pointer;

    public override long Length => _certain.Length;

    public override string Name => "crash region";

    protected override int Unit => Line;

    /// <summary>Fences that reached the memory.</summary>
    public int Fences { get; private set; }

    public override void Add(IFlushSource source) => base.Add(new SeenSource(this, source));

    public override void Flush(long offset, long length)
    {
        See(offset, length);
        base.Flush(offset, length);
    }

    /// <summary>One state that a power cut now may leave.</summary>
    /// <param name="seed">0 keeps only what is certain, 1 the newest of all; others choose for each line.</param>
    public byte[] Cut(int seed)
    {
        var random = new Random(seed);
        double part = random.NextDouble();
        byte[] image = (byte[])_certain.Clone();
        for (int line = 0; line < _versions.Length; line++)
        {
            See(line);
            List<Version> versions = _versions[line];
            if (versions.Count == 0 || seed == 0 || (seed != 1 && random.NextDouble() >= part)) continue;
            Version kept = versions[seed == 1 ? ^1 : random.Next(versions.Count)];
            kept.Bytes.CopyTo(image, line * Line);
        }

        return image;
    }

    /// <summary>
    /// What the next process has when this one is killed now: all that was stored, of which nothing more is certain,
    /// and nothing flushed.
    /// </summary>
    public CrashRegion Kill() => new(this);

    public override void Dispose() => _memory.Dispose();

    protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
    {
        Fences++;
        foreach (FlushedRange range in ranges)
        {
            for (int line = (int)(range.Begin / Line); line < range.End / Line; line++) MakeCertain(line);
        }
    }

    private void MakeCertain(int line)
    {
        See(line);
        int flushed = _versions[line].FindLastIndex(version => version.IsFlushed);
        if (flushed < 0) return; // of a range that was joined with another one over this line
        _versions[line][flushed].Bytes.CopyTo(_certain, line * Line);
        _versions[line].RemoveRange(0, flushed + 1);
    }

    private void See(long offset, long length)
    {
        for (long line = offset / Line; length != 0 && line * Line < offset + length; line++)
            See((int)line).IsFlushed = true;
    }

    // The state of a line now, which is a new one if the line has changed.
    private Version See(int line)
    {
        List<Version> versions = _versions[line];
        var now = new ReadOnlySpan<byte>(Pointer + (line * Line), Line);
        ReadOnlySpan<byte> last = versions.Count == 0 ? _certain.AsSpan(line * Line, Line) : versions[^1].Bytes;
        if (versions.Count != 0 && now.SequenceEqual(last)) return versions[^1];
        var version = new Version(now.ToArray());
        if (versions.Count != 0 || !now.SequenceEqual(last)) versions.Add(version);
        return version;
    }

    /// <summary>What a source gives counts as flushed when it is asked.</summary>
    private sealed class SeenSource(CrashRegion region, IFlushSource source) : IFlushSource
    {
        public void Collect(List<FlushedRange> ranges)
        {
            int before = ranges.Count;
            source.Collect(ranges);
            foreach (FlushedRange range in ranges.Skip(before)) region.See(range.Begin, range.End - range.Begin);
        }

        public void OnFenced() => source.OnFenced();
    }

    private sealed class Version(byte[] bytes)
    {
        public byte[] Bytes => bytes;

        public bool IsFlushed { get; set; }
    }
}
