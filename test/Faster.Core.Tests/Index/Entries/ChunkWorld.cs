using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.HashChunks;
using Faster.Log;
using Faster.Probes;

namespace Faster.Tests.Index.Entries;

/// <summary>An index of hash chunks as it ships, with a log of four pages, whose chunks go to disk when a test says
/// so.</summary>
internal sealed unsafe class ChunkWorld : IDisposable
{
    public const int PageBits = 12, Pages = 4;

    private readonly EpochSlot* _slot;
    private readonly Lock _aging = new();
    private int _running; // clients

    /// <summary>Makes an empty index.</summary>
    /// <param name="epochs">The epochs that its users enter.</param>
    /// <param name="chunks">How many chunks it has.</param>
    /// <param name="coldBegin">Below which address entries count as none.</param>
    /// <param name="stagesAll">Whether it keeps a copy of each chunk that leaves memory.</param>
    /// <param name="chunkBytes">The size of a chunk.</param>
    /// <param name="device">Its device; null for one in memory.</param>
    public ChunkWorld(
        EpochTable epochs, long chunks, Func<long>? coldBegin = null, bool stagesAll = false,
        int chunkBytes = 64, Device? device = null)
    {
        Device = device ?? new MemoryDevice();
        Index = new ChunkIndex(
            epochs, PlanOf(chunks, chunkBytes, stagesAll), Device, new BlockIdentity(1, 7),
            coldBegin ?? (static () => 1), Faults.Add);
        _slot = epochs.Acquire("the aging of chunks");
        if (Probe.On && Probe.TakesTurns) LoneThread.Step = () => Index.Log.TakeTurn();
        else Index.Start();
    }

    public ChunkIndex Index { get; }

    public Device Device { get; }

    public List<Exception> Faults { get; } = [];

    private HybridLog Log => Index.Log.Pages;

    public static ChunkIndexPlan PlanOf(long chunks, int chunkBytes, bool stagesAll = false) => new()
    {
        ChunkCount = chunks, ChunkBytes = chunkBytes, PageBits = PageBits, ResidentPages = Pages,
        StageBytes = stagesAll ? 2 * ChunkStage.BytesFor(chunks, chunkBytes / 8, 0) : 4096,
        StagesAll = stagesAll, ReadBuffers = 64 << 10, FlushPart = 4096, FlushParts = 2,
    };

    /// <summary>The threads of a schedule: some clients, and beside them the index's I/O thread.</summary>
    public Action[] Threads(params Action[] clients)
    {
        _running = clients.Length;
        return [.. clients.Select(Client), IOThread];
    }

    /// <summary>
    /// Makes all chunks immutable and sends them to disk; under a scheduler, those that no thread is using.
    /// </summary>
    public void Age()
    {
        if (Probe.On && Probe.TakesTurns)
        {
            AgeOnce();
            return;
        }

        lock (_aging)
        {
            long until = Log.TailAddress;
            while (Log.HeadAddress < until)
            {
                AgeOnce();
                Thread.Yield();
            }
        }
    }

    /// <summary>
    /// Checks that chunks on disk were used: by reads, or where all have copies, nearly without; a copy is not seen
    /// while others beside it are written.
    /// </summary>
    public void AssertRead()
    {
        Assert.True(Log.HeadAddress > PagedLog.FirstAddress, "No chunk has left memory.");
        if (Index.Plan.StagesAll) Assert.InRange(Index.Reads, 0, Index.Log.Appended / 8);
        else Assert.True(Index.Reads > 0, "No chunk was read from disk.");
    }

    // The tail's page is filled up, so that it can leave memory.
    private void AgeOnce()
    {
        Index.Epochs.Enter(_slot);
        if (Log.SpaceInPage < Log.PageSize) _ = Log.TryAllocate(null, (int)Log.SpaceInPage, out _);
        Index.Epochs.Leave(_slot);
        _ = Log.ShiftReadOnlyToTail();
        while (Index.Log.TakeTurn())
        {
        }

        Log.Evict(Log.PageStartOf(Log.FlushedUntilAddress));
    }

    public void Dispose()
    {
        LoneThread.Step = null;
        Index.Epochs.Release(_slot);
        Index.Dispose();
        Device.Dispose();
        Assert.Empty(Faults);
    }

    private Action Client(Action client) => () =>
    {
        try
        {
            client();
        }
        finally
        {
            _running--;
        }
    };

    private void IOThread()
    {
        while (_running != 0)
        {
            _ = Probe.On && Probe.Wait(() => _running == 0 || Index.Log.Flusher.HasWork || Device.Wait(TimeSpan.Zero));
            if (!Index.Log.TakeTurn()) _ = Probe.On && Probe.Wait(null); // another thread takes a turn
        }
    }
}
