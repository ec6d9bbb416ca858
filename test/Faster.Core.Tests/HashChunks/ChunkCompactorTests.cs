using Faster.Contracts;
using Faster.Devices;
using Faster.HashChunks;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.Records;
using Faster.Testing;
using Faster.Tests.Faults;
using Faster.Tests.Index.Entries;

namespace Faster.Tests.HashChunks;

/// <summary>The log of chunks is compacted beside changes; damage and faults are told, and lose nothing.</summary>
public sealed class ChunkCompactorTests : IDisposable
{
    private const int Chunks = 64;

    private readonly Faster.Epochs.EpochTable _epochs = new();
    private readonly FaultDevice _device = new(new MemoryDevice());
    private readonly ChunkWorld _world;
    private readonly ChunkCompactor _compactor;

    public ChunkCompactorTests()
    {
        _world = new ChunkWorld(_epochs, Chunks, device: _device);
        _compactor = new ChunkCompactor(_world.Index, new StepWaits(_epochs), static error => throw error);
    }

    private HybridLog Log => _world.Index.Log.Pages;

    public void Dispose()
    {
        _compactor.Dispose();
        _world.Dispose();
    }

    [Fact]
    public async Task Changes_beside_compactions_are_not_lost()
    {
        const int Threads = 2, Rounds = 150;
        Task changing = Task.WhenAll(Enumerable.Range(0, Threads).Select(_ => Guard.RunAsync(() =>
        {
            using EntrySession session = Start();
            for (int round = 0; round < Rounds; round++)
                for (int chunk = 0; chunk < Chunks; chunk++) session.Add(Hash(chunk), 1);
        })));
        do
        {
            _world.Age();
            await _compactor.RunAsync(Log.PageStartOf(Log.TailAddress));
        }
        while (!changing.IsCompleted || _compactor.Runs == 0); // at first there may be nothing to compact

        await changing;
        using EntrySession reader = Start();
        for (int chunk = 0; chunk < Chunks; chunk++) Assert.Equal(Threads * Rounds, reader.Get(Hash(chunk)));
        Assert.True(_compactor.Runs > 0);
        Assert.True(Log.BeginAddress > PagedLog.FirstAddress, "The log was not truncated.");
    }

    [Fact]
    public async Task Chunks_are_read_by_pages()
    {
        using EntrySession session = Start();
        for (int chunk = 0; chunk < Chunks; chunk++) session.Add(Hash(chunk), chunk + 1);
        _world.Age();
        await _compactor.RunAsync(Log.HeadAddress);
        Assert.Equal(0, _world.Index.Reads);
        Assert.Equal(1, _compactor.Runs);
        for (int chunk = 0; chunk < Chunks; chunk++) Assert.Equal(chunk + 1, session.Get(Hash(chunk)));
    }

    [Fact]
    public async Task A_compaction_of_nothing_ends_at_once()
    {
        await _compactor.RunAsync(PagedLog.FirstAddress).WaitAsync(TestBudget.StallTimeout);
        Assert.Equal(0, _compactor.Runs);
    }

    [Fact]
    public async Task A_chunk_that_can_not_be_read_ends_a_compaction_and_truncates_nothing()
    {
        using EntrySession session = Start();
        for (int chunk = 0; chunk < Chunks; chunk++) session.Add(Hash(chunk), chunk + 1);
        _world.Age();
        _device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, 1, Persistent: true)] });
        await Assert.ThrowsAsync<StorageException>(() => _compactor.RunAsync(Log.HeadAddress));
        Assert.Equal(PagedLog.FirstAddress, Log.BeginAddress);
        _device.Arm(FaultPlan.None);
        await _compactor.RunAsync(Log.HeadAddress);
        for (int chunk = 0; chunk < Chunks; chunk++) Assert.Equal(chunk + 1, session.Get(Hash(chunk)));
    }

    [Fact]
    public async Task A_damaged_chunk_stays_what_lies_before_it_is_truncated_and_retries_copy_nothing()
    {
        using EntrySession session = Start();
        for (int chunk = 0; chunk < Chunks; chunk++) session.Add(Hash(chunk), chunk + 1);
        _world.Age();
        long stride = _world.Index.Log.Storage.Geometry.PageStride;
        _device.Arm(new FaultPlan { BitFlips = [new BitFlip(stride + 300, 3)] }); // in the second page
        await Assert.ThrowsAsync<DamagedDataException>(() => _compactor.RunAsync(Log.HeadAddress));
        Assert.Equal(1L << Log.PageBits, Log.BeginAddress);
        long appended = _world.Index.Log.Appended;
        for (int i = 0; i < 5; i++)
            await Assert.ThrowsAsync<DamagedDataException>(() => _compactor.RunAsync(Log.PageStartOf(Log.HeadAddress)));
        Assert.Equal(appended, _world.Index.Log.Appended);
        _device.Arm(FaultPlan.None);
        await _compactor.RunAsync(Log.PageStartOf(Log.HeadAddress));
        for (int chunk = 0; chunk < Chunks; chunk++) Assert.Equal(chunk + 1, session.Get(Hash(chunk)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Chunks_that_have_died_leave_the_log(bool stagesAll)
    {
        const int Many = 2000, Lasting = 40;
        long coldBegin = 1;
        using var world = new ChunkWorld(_epochs, Many, () => Volatile.Read(ref coldBegin), stagesAll);
        HybridLog log = world.Index.Log.Pages;
        using var looked = new SemaphoreSlim(0);
        using var compactor = new ChunkCompactor(world.Index, new StepWaits(_epochs), world.Faults.Add)
        {
            Freed = () => looked.Release(),
        };
        using EntrySession session = EntrySession.Of<ChunkEntries>(_epochs, world.Index);
        for (int chunk = 0; chunk < Many; chunk++)
            Assert.True(session.Insert(HashBits.HashOf(chunk, Many, 7), chunk % Lasting == 0 ? 100 : 10));
        world.Age();
        long end = log.TailAddress, begin = log.BeginAddress;
        compactor.Start();
        compactor.LookForDead();
        await looked.WaitAsync().WaitAsync(TestBudget.StallTimeout);
        Assert.Equal((begin, end), (log.BeginAddress, log.TailAddress)); // all live
        Volatile.Write(ref coldBegin, 50 * sizeof(long));
        compactor.LookForDead();
        await log.Gate.WaitForAsync(() => log.BeginAddress >= end, CancellationToken.None)
            .WaitAsync(TestBudget.StallTimeout);
        Assert.True(log.TailAddress - log.BeginAddress < (end - begin) / 8, "The log is still large.");
        for (int chunk = 0; chunk < Many; chunk++)
        {
            ulong hash = HashBits.HashOf(chunk, Many, 7);
            Assert.Equal(chunk % Lasting == 0 ? 100 : 0, session.Get(hash));
            session.Add(hash, 200); // a chunk may return
            Assert.Equal(chunk % Lasting == 0 ? 300 : 200, session.Get(hash));
        }
    }

    [Fact]
    public void A_flipped_bit_in_a_chunk_is_detected()
    {
        using EntrySession session = Start();
        session.Add(Hash(0), 5);
        _world.Age();
        for (long offset = 0; offset < 512; offset += 37)
        {
            _device.Arm(new FaultPlan { BitFlips = [new BitFlip(offset, 3)] });
            Exception? told = null;
            using var read = new ManualResetEventSlim();
            _world.Index.ReadEntry(Hash(0), error =>
            {
                told = error;
                read.Set();
            });
            Assert.True(read.Wait(TestBudget.StallTimeout), "The chunk was not read.");
            Assert.IsType<DamagedDataException>(told);
        }

        _device.Arm(FaultPlan.None);
        Assert.Equal(5, session.Get(Hash(0)));
    }

    private static ulong Hash(int chunk) => HashBits.HashOf(chunk, Chunks, 7);

    private EntrySession Start() => EntrySession.Of<ChunkEntries>(_epochs, _world.Index);
}
