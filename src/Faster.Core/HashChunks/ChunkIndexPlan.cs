using System.Numerics;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Reads;
using Faster.Log.Records;

namespace Faster.HashChunks;

/// <summary>
/// The division of the memory of an index of hash chunks: eight bytes for each chunk, and the rest for the small
/// in-memory region of the chunk log, copies of chunks that were read, and buffers. Immutable; thread-safe.
/// </summary>
internal sealed record ChunkIndexPlan
{
    /// <summary>The default size of a chunk in bytes: 32 entries (paper 003 §6).</summary>
    public const int DefaultChunkBytes = 256;

    /// <summary>The part of the slots that are taken, if as many keys come as were expected.</summary>
    /// <remarks>
    /// With 32 slots, one chunk in twenty has more keys than slots then, and a few of them share one.
    /// </remarks>
    public const double Fill = 0.75;
    private const int MinPageBits = 12, MaxPageBits = 16, PartBytes = 4096;
    private const int LogPages = 8;         // a chosen page size gives the log about so many pages
    private const int MinStaged = 64;
    private const int FlushPartCount = 2, MaxPart = 256 << 10;
    private const double LogShare = 0.75;   // of what buffers leave; the rest is for copies of chunks that were read
    private const long MaxReadBuffers = 8 * LogReader.BusyBytes;
    private const int MinDiskPages = 32;

    /// <summary>The number of chunks, which does not change.</summary>
    public required long ChunkCount { get; init; }

    /// <summary>The size of a chunk in bytes: a power of two.</summary>
    public required int ChunkBytes { get; init; }

    /// <summary>The binary logarithm of the chunk log's page size in bytes.</summary>
    public required int PageBits { get; init; }

    /// <summary>The maximum number of the chunk log's pages in memory.</summary>
    public required int ResidentPages { get; init; }

    /// <summary>Whether there are copies of all chunks: of each that leaves the chunk log's memory, too.</summary>
    public bool StagesAll { get; init; }

    /// <summary>The bytes of copies of chunks that are on disk.</summary>
    public required long StageBytes { get; init; }

    /// <summary>The bytes of buffers for reads.</summary>
    public required long ReadBuffers { get; init; }

    /// <summary>The size of one write in bytes.</summary>
    public required int FlushPart { get; init; }

    /// <summary>The number of writes that may be in progress.</summary>
    public required int FlushParts { get; init; }

    /// <summary>
    /// The maximum of bytes of the chunk log on its device, apart from what kept commits hold; 0: there is no limit.
    /// </summary>
    public long DiskBudget { get; init; }

    /// <summary>The entries of a chunk.</summary>
    public int Capacity => ChunkBytes / sizeof(ulong);

    /// <summary>The size of a chunk's record in bytes: header, number, entries.</summary>
    public int RecordBytes => RecordHeader.Size + sizeof(long) + ChunkBytes;

    /// <summary>The bytes of memory that the plan takes.</summary>
    public long Bytes => DirectoryBytes + ((long)ResidentPages << PageBits) + ReadBuffers
        + ((long)FlushPart * FlushParts) + StageBytes;

    /// <summary>The bytes of the directory, in memory and in a file.</summary>
    public long DirectoryBytes => ChunkCount * sizeof(long);

    /// <summary>The bytes of memory of a sweep, which are not part of <see cref="Bytes"/>.</summary>
    public long SweepBytes => ChunkSweep.Pages * new BlockGeometry(PageBits).PageStride;

    /// <summary>The smallest budget with which compaction keeps up: twice the live chunks, if all exist.</summary>
    public long MinDiskBudget => Math.Max(2 * ChunkCount / ((1 << PageBits) / RecordBytes), MinDiskPages)
        * new BlockGeometry(PageBits).PageStride;

    /// <summary>Divides an amount of memory.</summary>
    /// <param name="memory">The bytes of memory.</param>
    /// <param name="expectedKeys">The number of cold keys to expect; more keys make chains longer.</param>
    /// <param name="chunkBytes">The size of a chunk in bytes.</param>
    /// <param name="stage">The bytes for copies of all chunks; 0: for some, a share of the rest.</param>
    /// <param name="diskBudget">
    /// The bytes that the chunk log may take on its device; raised to <see cref="MinDiskBudget"/>. 0: no limit.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// A chunk is no power of two from 64 to 4096 bytes, or the memory is too small: the message says what is needed.
    /// </exception>
    public static ChunkIndexPlan For(
        long memory, long expectedKeys, int chunkBytes = DefaultChunkBytes, long stage = 0, long diskBudget = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(expectedKeys);
        ArgumentOutOfRangeException.ThrowIfNegative(diskBudget);
        if (!BitOperations.IsPow2(chunkBytes) || chunkBytes is < HashChunk.MinBytes or > HashChunk.MaxBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(chunkBytes), chunkBytes,
                $"A hash chunk has a power of two of bytes, from {HashChunk.MinBytes} to {HashChunk.MaxBytes}.");
        }

        long chunks = ChunksFor(expectedKeys, chunkBytes);
        long rest = memory - stage - (chunks * sizeof(long));
        int least = BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)(4 * chunkBytes)));
        int pageBits = rest <= 0 ? 0 : BitOperations.Log2((ulong)rest / 2 / LogPages | 1);
        pageBits = Math.Clamp(pageBits, Math.Max(MinPageBits, least), MaxPageBits);
        ChunkIndexPlan plan = Divide(memory, chunks, chunkBytes, pageBits, stage);
        plan = plan with { DiskBudget = diskBudget == 0 ? 0 : Math.Max(diskBudget, plan.MinDiskBudget) };
        return plan.Bytes <= memory ? plan : throw new ArgumentOutOfRangeException(
            nameof(memory), memory,
            $"The index of {expectedKeys:N0} cold keys needs {plan.Bytes:N0} bytes of memory. Raise "
            + "the memory budget, or lower the number of expected keys.");
    }

    /// <summary>The number of chunks for a number of keys.</summary>
    public static long ChunksFor(long expectedKeys, int chunkBytes) =>
        Math.Max((long)Math.Ceiling(expectedKeys / (Fill * (chunkBytes / sizeof(ulong)))), 1);

    /// <summary>Divides an amount of memory for an index that exists.</summary>
    /// <param name="memory">The bytes of memory.</param>
    /// <param name="shape">What does not change of it.</param>
    /// <param name="stage">As for <see cref="For"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The memory is too small: the message says what is needed.
    /// </exception>
    public static ChunkIndexPlan Of(long memory, ColdIndexShape shape, long stage = 0)
    {
        ChunkIndexPlan plan = Divide(memory, shape.ChunkCount, shape.ChunkBytes, shape.PageBits, stage);
        return plan.Bytes <= memory ? plan : throw new ArgumentOutOfRangeException(
            nameof(memory), memory,
            $"The index of the store's {shape.ChunkCount:N0} hash chunks needs {plan.Bytes:N0} bytes of memory. Raise "
            + "the memory budget or the cold tier's share of it.");
    }

    private static ChunkIndexPlan Divide(long memory, long chunks, int chunkBytes, int pageBits, long stage)
    {
        var geometry = new BlockGeometry(pageBits);
        long rest = Math.Max(memory - stage - (chunks * sizeof(long)), 0);
        long most = stage == 0 ? Math.Min(rest / 16, 1L << pageBits) : Math.Min(rest / 8, MaxPart);
        int part = Math.Max((int)most & -PartBytes, PartBytes);
        long buffers = Math.Clamp(rest / 8, Math.Min(rest / 4, LogReader.BusyBytes), MaxReadBuffers);
        buffers = Math.Max(buffers, LogReader.MinBufferBytes(geometry));
        rest -= buffers + (FlushPartCount * (long)part);
        long log = stage == 0 ? (long)(rest * LogShare) : rest;
        return new ChunkIndexPlan
        {
            ChunkCount = chunks,
            ChunkBytes = chunkBytes,
            PageBits = pageBits,
            ResidentPages = (int)Math.Clamp(log >> pageBits, PagedLog.MinPages, 1 << 20),
            ReadBuffers = buffers,
            FlushPart = part,
            FlushParts = FlushPartCount,
            StagesAll = stage != 0,
            StageBytes = stage != 0 ? stage : Math.Max(
                rest - log, ChunkStage.BytesFor(MinStaged, chunkBytes / 8, 0)),
        };
    }
}
