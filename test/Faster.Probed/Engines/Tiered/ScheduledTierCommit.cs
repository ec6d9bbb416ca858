using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Commits;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Engines.Tiered;
using Faster.HashChunks;
using Faster.Index;
using Faster.Log;
using Faster.Log.Records;
using Faster.LogCommits;
using Faster.Tests.Scheduling;
using Faster.Tiers;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A commit of a scheduled tiered store: the phases and the cold participant that ship. Of the hot log it looks at the
/// records when they are captured. Then it says what a recovery would find.
/// </summary>
/// <remarks>One commit; <see cref="CommitNow"/> belongs to one scheduled thread.</remarks>
internal sealed unsafe class ScheduledTierCommit
{
    /// <summary>The failure of a cold index that leads to what its commit has not.</summary>
    public const string BeyondEnd = "The captured index leads beyond the captured log";

    private readonly ScheduledTiers _tiers;
    private readonly TieredStore _store;
    private readonly CommitFolder _folder;
    private readonly ColdParticipant _cold;
    private readonly HotLog _hot;
    private CommitPoint[] _points = [];
    private CommitRecord? _record;

    /// <summary>Prepares a commit.</summary>
    /// <param name="tiers">The store.</param>
    /// <param name="files">Where the directory is written.</param>
    public ScheduledTierCommit(ScheduledTiers tiers, StoreFiles files)
    {
        (_tiers, _store) = (tiers, tiers.Store);
        _folder = new CommitFolder(files, 7, new CommitCatalog(files, 7));
        ChunkLog chunks = _store.ColdIndex.Log;
        _hot = new HotLog(this);
        _cold = new ColdParticipant(
            _folder, Durable(StoreFileNames.ColdLog, _store.Cold),
            new DurableLog(
                StoreFileNames.ChunkLog, chunks.Pages, chunks.Storage, chunks.Flusher, new SemaphoreSlim(1, 1),
                new DiskSpace(chunks.Storage, chunks.Pages.Pins, 1), new LogAgeIndex(TimeProvider.System)),
            _store.ColdIndex.Directory, _store.Copies, _store.Core.Commits, tiers.Waits, null);
    }

    /// <summary>Passes all phases.</summary>
    public void CommitNow()
    {
        var phases = new CommitPhases(_store.Core.Commits, [_hot, new Unflushed(_cold)], _tiers.Waits, new Steps(this));
        ScheduledWaits.Run(_cold.PrepareAsync(CommitKind.Snapshot, withIndex: false));
        ScheduledWaits.Run(phases.RunAsync());
    }

    /// <summary>The serial number of a client's last operation that the commit holds.</summary>
    public long PointOf(int client) =>
        _points.Single(point => point.SessionName == ScheduledTiers.NameOf(client)).SerialNumber;

    /// <summary>The value of key 1 after a recovery from the commit; null if it has none.</summary>
    public long? RecoveredValue()
    {
        byte[]? cold = FindCold(); // what it has must be sound, whether or not it counts
        byte[]? record = _hot.Captured ?? cold;
        if (record is null || (BitConverter.ToUInt64(record) & RecordHeader.Tombstone) != 0) return null;
        return BitConverter.ToInt64(record, 16);
    }

    private DurableLog Durable(string name, Tier tier) => new(
        name, tier.PagedLog!, tier.Storage!, tier.Flusher!, _tiers.StepsOf(tier).Rising,
        new DiskSpace(tier.Storage!, tier.PagedLog!.Pins, 1), new LogAgeIndex(TimeProvider.System));

    private byte[]? FindCold()
    {
        CommittedLog log = _record!.LogOf(StoreFileNames.ColdLog);
        using var directory = new ChunkDirectory(1);
        DirectoryFile.Read(
            _folder.Files, _record.PartOf(StoreFileNames.ChunkLog).File!, _folder.Identity, directory,
            _record.LogOf(StoreFileNames.ChunkLog));
        if (directory.AddressOf(0) == 0) return null;
        uint tag = HashBits.TagOf(Key(1).Hash(default));
        _ = HashChunk.Search(
            _store.ColdIndex.Log.WordsAt(directory.AddressOf(0)), _store.ColdIndex.Plan.Capacity, tag, out ulong word);
        long address = EntryWord.AddressOf(HashChunk.Live(word, log.BeginAddress));
        Assert.True(address < log.EndAddress, $"{BeyondEnd}: {address}, {log.EndAddress}.");
        return Find(_store.Cold, address, log.BeginAddress, long.MaxValue);
    }

    // The newest record of key 1 in a chain, without those of the next version.
    private byte[]? Find(Tier tier, long address, long begin, long nextStart)
    {
        while (address >= begin)
        {
            byte[] record = _tiers.Record(tier, address);
            ulong header = BitConverter.ToUInt64(record);
            bool isNext = address >= nextStart
                && RecordHeader.VersionCode(header) == RecordHeader.CodeOf(RecordHeader.FirstVersion + 1);
            if (!isNext && BitConverter.ToInt64(record, RecordHeader.Size) == 1) return record;
            address = RecordHeader.Previous(header);
        }

        return null;
    }

    private sealed class HotLog(ScheduledTierCommit world) : ICommitParticipant
    {
        private readonly LogVersion _version = new(world._store.Hot.PagedLog!);

        public byte[]? Captured { get; private set; }

        public IReadOnlyList<SemaphoreSlim> BeginsRising => [world._tiers.StepsOf(world._store.Hot).Rising];

        public WaitGate Gate => world._store.Hot.PagedLog!.Gate;

        public void NoteBegin() => _version.NoteBegin();

        public void NoteStart() => _version.NoteStart();

        public void EndVersion(long version) => _version.End(folds: false);

        public CommitRecord Describe(CommitRecord record) => record;

        public void Sync() { }

        public Task WriteAsync()
        {
            _ = world._store.Hot.Index.FindChain(Key(1).Hash(default), out long newest);
            Captured = world.Find(world._store.Hot, newest, _version.BeginAddress, _version.StartAddress);
            return Task.CompletedTask;
        }
    }

    // The scheduler can't see the wait for a flush, and nothing changes what will be flushed.
    private sealed class Unflushed(ColdParticipant cold) : ICommitParticipant
    {
        public bool Folds => cold.Folds;

        public IReadOnlyList<SemaphoreSlim> BeginsRising => cold.BeginsRising;

        public void NoteBegin() => cold.NoteBegin();

        public Task CaptureFirstAsync() => cold.CaptureFirstAsync();

        public void EndVersion(long version) => cold.EndVersion(version);

        public CommitRecord Describe(CommitRecord record) => cold.Describe(record);

        public void Sync() { }

        public void End() => cold.End();
    }

    private sealed class Steps(ScheduledTierCommit world) : ICommitSteps
    {
        private readonly CommitHost _host = new(world._store.Core, world._store.OnPhase, null, static _ => { });

        public bool IsAnyInUnit => false;

        public void OnPhase(CommitPhase phase) => _host.OnPhase(phase);

        public void Collect() => world._points = world._store.Core.Sessions.Collect(RecordHeader.FirstVersion);

        public Task WatchAsync(CommitPhase phase, Task done) => done;

        public Task PublishAsync()
        {
            world._record = world._cold.Describe(new CommitRecord { Version = 1, Kind = CommitKind.Snapshot });
            return Task.CompletedTask;
        }

        public void OnFailed(Exception failure) { }
    }
}
