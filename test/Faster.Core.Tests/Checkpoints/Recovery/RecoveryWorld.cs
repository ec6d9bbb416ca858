using Faster.Checkpoints;
using Faster.Checkpoints.Index;
using Faster.Checkpoints.Recovery;
using Faster.Checkpoints.Snapshots;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>
/// Log and index under commits and crashes, with the algorithms of sessions run by one thread, and the values that
/// each key must have. The device and the files outlive a crash.
/// </summary>
internal sealed unsafe class RecoveryWorld : IDisposable
{
    private const ulong Store = 5;
    private const long Buckets = 5, MaxBuckets = 40;
    private static readonly long[] Keys = SharingKeys(100);

    private readonly Random _random;
    private readonly int _partBytes; // of one write: less than a page
    private readonly FolderFiles _files;
    private readonly TemporaryFolder _folder = new();
    private Dictionary<long, (long Value, long Address)> _live = [];
    private Dictionary<long, (long Value, long Address)> _committed = [];
    private CommitRecord? _last;
    private IndexCopy? _indexCheckpoint;
    private IndexCopy? _lastIndexCheckpoint;
    private PumpedLog _log;
    private HashIndex _index;
    private BucketHistory _buckets;
    private EpochSlot* _slot;
    private long _version = 1;
    private long _sequence;
    private uint _incarnation = 1;
    private bool _isCheckpointing;
    private bool _isHeld; // so that the index is not resized during a commit

    public RecoveryWorld(int seed, int pages = 8)
    {
        _random = new Random(seed);
        _partBytes = 512 << _random.Next(4);
        _files = FolderFiles.OpenFolder(_folder.Path);
        Device = new FaultDevice(new MemoryDevice());
        Pages = pages;
        _log = NewLog();
        _index = NewIndex(Buckets);
        _buckets = new BucketHistory(_index, null);
    }

    public FaultDevice Device { get; }

    public int Pages { get; set; }

    public LogRecoveryResult Result { get; private set; }

    public long BytesReported { get; private set; }

    public CommitRecord LastCommit => _last!;

    /// <summary>Whether the index grows and shrinks now and then, also while a commit is under way.</summary>
    public bool Resizes { get; init; }

    /// <summary>The share of operations beside a commit that belong to the next version.</summary>
    public double LaterShare { get; init; } = 0.5;

    /// <summary>How many keys were gone with truncated pages.</summary>
    public int Truncated { get; private set; }

    /// <summary>How many chain-join records have been written, and how many commits have named an index.</summary>
    public (int Merges, int WithIndex) Seen { get; private set; }

    public PagedLog Log => _log.Log;

    /// <summary>Operations of one version, or, with a share of later ones, of a commit that is under way.</summary>
    public void Operate(int count, double later = 0, HashSet<long>? shifted = null)
    {
        for (int i = 0; i < count; i++)
        {
            long key = Keys[_random.Next(Keys.Length)];
            bool isLater = shifted is not null && (shifted.Contains(key) || _random.NextDouble() < later);
            long version = isLater ? _version + 1 : _version, value = ++_sequence;
            bool delete = _random.Next(10) == 0;
            if (isLater) shifted!.Add(key);
            long address = Write(key, value, delete, version);
            Apply(_live, key, value, address, delete);
            if (shifted is not null && !isLater) Apply(_committed, key, value, address, delete);
            if (_random.Next(40) == 0) MakeInvalid(version);
            if (_random.Next(60) == 0) _log.Log.ShiftReadOnlyToTail();
            if (_random.Next(30) == 0) PumpSome();
            if (Resizes && !_isCheckpointing && !_isHeld && _random.Next(50) == 0) Resize();
        }
    }

    /// <summary>Doubles or halves the index.</summary>
    public void Resize()
    {
        bool grow = _index.BucketCount == Buckets || (_index.BucketCount < MaxBuckets && _random.Next(2) == 0);
        long before = _log.Log.TailAddress;
        Assert.True(_index.TryStart(grow ? ResizeKind.Split : ResizeKind.Join, _log.Log, static () => { }));
        _index.DriveResize(_slot, () =>
        {
            _log.PumpAll();
            return true;
        });
        if (!grow && _log.Log.TailAddress > before) Seen = (Seen.Merges + 1, Seen.WithIndex);
    }

    /// <summary>Truncates some of the oldest pages: keys whose newest record lies there are gone.</summary>
    public void Truncate()
    {
        _ = _log.FlushAll();
        long first = Log.BeginAddress >> PumpedLog.PageBits, head = Log.HeadAddress >> PumpedLog.PageBits;
        if (head <= first) return;
        Assert.True(Log.RaiseBegin((first + 1 + _random.NextInt64(head - first)) << PumpedLog.PageBits));
        long[] gone = [.. _live.Where(key => key.Value.Address < Log.BeginAddress).Select(static key => key.Key)];
        foreach (long key in gone) _live.Remove(key);
        Truncated += gone.Length;
    }

    /// <summary>Copies the index while operations go on, as a fuzzy checkpoint does.</summary>
    public void CheckpointIndex()
    {
        _isCheckpointing = true;
        _buckets.BeginCheckpoint();
        long start = _log.Log.TailAddress;
        Operate(_random.Next(30));
        Dictionary<ulong, long> entries = Entries();
        Operate(_random.Next(30));
        _indexCheckpoint = new IndexCopy(entries, _index.BucketCount, start, _log.Log.TailAddress);
        _buckets.EndCheckpoint(_index.BucketCount);
        _isCheckpointing = false;
    }

    public void Commit(CommitKind kind, bool indexWithin = false)
    {
        _isHeld = _buckets.HasShrunk; // as the store does
        if (_isHeld && !_buckets.HasCheckpoint) CheckpointIndex();
        _committed = new(_live);
        long begin = _log.Log.BeginAddress;
        if (indexWithin) _buckets.BeginCheckpoint();
        long start = _log.Log.TailAddress;
        var shifted = new HashSet<long>();
        Operate(_random.Next(60), LaterShare, shifted);
        if (indexWithin)
        {
            long tail = _log.Log.TailAddress;
            _indexCheckpoint = new IndexCopy(Entries(), _index.BucketCount, tail, tail);
            _buckets.EndCheckpoint(_index.BucketCount);
        }

        Operate(_random.Next(60), LaterShare, shifted);
        long end = kind == CommitKind.FoldOver ? _log.FlushAll() : _log.Log.PadTail();
        long from = Math.Clamp(_log.Log.FlushedUntilAddress, begin, end); // as a participant of commits has it
        Operate(_random.Next(60), 1, shifted);
        FileReference[] snapshots = kind == CommitKind.FoldOver ? [] : Capture(kind, from, end);
        if (_indexCheckpoint is { } copy && copy.End <= end) _lastIndexCheckpoint = copy;
        if (!_buckets.Conclude(out long buckets)) _lastIndexCheckpoint = null;
        else Seen = (Seen.Merges, Seen.WithIndex + 1);
        _last = new CommitRecord
        {
            Version = _version,
            Kind = kind,
            Parts =
            [
                new CommittedPart
                {
                    Name = CommittedLog.Main,
                    Log = new CommittedLog
                    {
                        BeginAddress = begin,
                        FlushedUntilAddress = kind == CommitKind.FoldOver ? end : from,
                        StartAddress = start,
                        EndAddress = end,
                        Snapshots = snapshots,
                        Incarnations = _log.Storage.Incarnations,
                        Discarded = _log.Storage.Discarded,
                    },
                    Index = new CommittedIndex
                    {
                        BucketCount = buckets,
                        Checkpoint = _lastIndexCheckpoint is { } index
                            ? new IndexReference("", 1, 1, index.Start, index.End)
                            : null,
                    },
                },
            ],
        };
        _version++;
        _isHeld = false;
    }

    /// <summary>Forgets memory, and recovers the last commit.</summary>
    public void CrashAndRecover()
    {
        if (_random.Next(2) == 0) _log.Log.ShiftReadOnlyToTail();
        _log.PumpAll();
        Crash();
        Recover();
        CheckMarks();
    }

    public void Crash()
    {
        var underWay = new IORequest[64];
        while (Device.Poll(underWay) != 0) { }
        _log.Epochs.Release(_slot);
        _index.Dispose();
        _log.Dispose();
        _log = NewLog();
        _index = NewIndex(LastCommit.Index.BucketCount);
    }

    public void Recover(CancellationToken ct = default)
    {
        CommitRecord commit = LastCommit;
        long flushed = commit.Log.FlushedUntilAddress;
        long from = flushed > PagedLog.FirstAddress ? flushed : 0; // as a store's recovery has it
        _incarnation++;
        _log.Storage.Restore(
            [.. commit.Log.Incarnations.Where(one => one.FromAddress < from), new Incarnation(from, _incarnation)],
            commit.Log.Discarded);
        _indexCheckpoint = _lastIndexCheckpoint;
        bool isIndexLoaded = false;
        void AwaitIndex() // the checkpoint comes as late as it may
        {
            if (isIndexLoaded) return;
            isIndexLoaded = true;
            foreach ((ulong hash, long address) in _indexCheckpoint?.Entries ?? []) Insert(hash, address);
        }

        var recovery = new LogRecovery(
            _log.Epochs, _index, _log.Log, _log.Storage, PumpedLog.Seed, commit.Version, commit.Log,
            commit.Index.Checkpoint, IndexReplay.OfOnlyTier);
        BytesReported = 0;
        Result = recovery.Run(_files, Store, 100_000, AwaitIndex, (_, bytes) => BytesReported = bytes, ct);
        _buckets = new BucketHistory(_index, commit.Index);
        Assert.Equal(recovery.BytesToRead, BytesReported);
        _version = commit.Version + 1;
        _live = new(_committed);
    }

    /// <summary>Every key has the value that it must have, by its chain in memory and on the device.</summary>
    public void Check()
    {
        foreach (long key in Keys)
        {
            long expected = _live.GetValueOrDefault(key).Value, found = Lookup(key);
            Assert.True(expected == found, $"Key {key} is {found}, not {expected}.");
        }
    }

    public void Dispose()
    {
        _log.Epochs.Release(_slot);
        _index.Dispose();
        _log.Dispose();
        Device.Dispose();
        _files.Dispose();
        _folder.Dispose();
    }

    // The device may have a part of a page then, which ends within a record.
    private void PumpSome()
    {
        if (_random.Next(3) == 0) _log.PumpAll();
        else for (int turns = _random.Next(8); turns > 0 && _log.TakeTurn(); turns--) { }
    }

    // What means something only while operations run has gone.
    private void CheckMarks()
    {
        for (long from = _log.Log.HeadAddress, to; from < _log.Log.TailAddress; from = to)
        {
            to = Math.Min((from / 4096 * 4096) + 4096, _log.Log.TailAddress);
            var walker = new RecordWalker(
                _log.Storage, _log.Log.Layout, _log.Log.Pointer(from), _log.Log.WalkStartOf(from), to);
            while (walker.MoveNext()) Assert.Equal(0UL, walker.Header & (RecordHeader.Sealed | RecordHeader.Latch));
        }
    }

    private PumpedLog NewLog()
    {
        var log = new PumpedLog(Device, Pages, _partBytes);
        _slot = log.Epochs.Acquire("the world");
        return log;
    }

    private HashIndex NewIndex(long buckets) => new(_log.Epochs, buckets);

    private static void Apply(
        Dictionary<long, (long Value, long Address)> state, long key, long value, long address, bool delete)
    {
        if (delete) state.Remove(key);
        else state[key] = (value, address);
    }

    private FileReference[] Capture(CommitKind kind, long from, long end)
    {
        var writer = new SnapshotWriter(_log.Epochs, _log.Log, _log.Storage, _files, Store, 8192);
        string name = "snapshot." + _version;
        using var ioThread = new PumpThread(_log);
        if (kind == CommitKind.Snapshot || _last is null || _last.Log.Snapshots.Count == 0)
            return [writer.Write(name, from, end, default)];
        return
        [
            .. _last.Log.Snapshots,
            writer.WriteIncrement(
                name, from, _last.Log.EndAddress, end, [RecordHeader.CodeOf(_version)], default),
        ];
    }

    // Where the value is now.
    private long Write(long key, long value, bool delete, long version)
    {
        ulong* slot = Find(HashOf(key), out ulong word);
        long head = slot == null ? 0 : HashIndex.AddressOf(word);
        for (long at = head; at >= Math.Max(_log.Log.ReadOnlyAddress, _log.Log.HeadAddress);)
        {
            byte* old = _log.Log.Pointer(at);
            ulong header = RecordHeader.Read(old);
            if (!ChainJoinRecord.Is(header) && *(long*)(old + 8) == key)
            {
                bool isOfVersion = RecordHeader.VersionCode(header) == RecordHeader.CodeOf(version);
                if (Resizes && delete && isOfVersion && at == head && RecordHeader.Previous(header) == 0)
                {
                    // As the store does with the only record of a chain.
                    RecordHeader.Write(old, header | RecordHeader.Tombstone);
                    Assert.True(HashIndex.TryRemove(slot, word));
                    return at;
                }

                if (RecordHeader.VersionCode(header) != RecordHeader.CodeOf(version) && version > _version)
                {
                    RecordHeader.Write(old, header | RecordHeader.Sealed);
                    break;
                }

                if (delete || (header & RecordHeader.Tombstone) != 0) break;
                *(long*)(old + 24) = value;
                RecordHeader.Write(old, (header & ~RecordHeader.VersionMask) | RecordHeader.VersionBits(version));
                return at;
            }

            at = ChainJoinRecord.Next(old, header, HashOf(key));
        }

        return Link(key, value, delete, version);
    }

    private long Link(long key, long value, bool delete, long version)
    {
        ulong flags = delete ? RecordHeader.Tombstone : 0;
        long address = _log.Append(key, 8 + _random.Next(120), 0, version, flags);
        ulong* slot = Find(HashOf(key), out ulong word);
        byte* record = _log.Log.Pointer(address);
        *(long*)(record + 24) = value;
        long previous = slot == null ? 0 : HashIndex.AddressOf(word);
        RecordHeader.Write(record, RecordHeader.WithPrevious(RecordHeader.Read(record), previous));
        Insert(HashOf(key), address);
        return address;
    }

    // As an operation that allocated space and did not link its record.
    private void MakeInvalid(long version)
    {
        long address = _log.Append(Keys[_random.Next(Keys.Length)], 40, 0, version, RecordHeader.Invalid);
        *(long*)(_log.Log.Pointer(address) + 24) = -1;
    }

    private void Insert(ulong hash, long address)
    {
        ulong* slot = Find(hash, out ulong word);
        Assert.True(_index.TryLocate(hash, out BucketRef bucket));
        bool done = slot == null
            ? _index.TryInsert(bucket.Bucket, HashBits.TagOf(hash), address)
            : HashIndex.TryReplace(slot, word, address);
        Assert.True(done);
    }

    private Dictionary<ulong, long> Entries()
    {
        var entries = new Dictionary<ulong, long>();
        foreach (long key in Keys)
        {
            ulong hash = HashOf(key);
            if (Find(hash, out ulong word) != null) entries[hash] = HashIndex.AddressOf(word);
        }

        return entries;
    }

    // Three keys to an entry, so that chains are mixed.
    private static long[] SharingKeys(int entries) => Enumerable.Range(0, 400_000)
        .GroupBy(key => (HashBits.BucketOf(HashOf(key), Buckets), HashBits.TagOf(HashOf(key))))
        .Where(group => group.Count() >= 3)
        .Take(entries)
        .SelectMany(group => group.Take(3).Select(key => (long)key))
        .ToArray();

    private static ulong HashOf(long key) => KeyHash.Of((ulong)key, PumpedLog.Seed);

    private ulong* Find(ulong hash, out ulong word)
    {
        Assert.True(_index.TryLocate(hash, out BucketRef bucket));
        return HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out word);
    }

    private long Lookup(long key)
    {
        ulong* slot = Find(HashOf(key), out ulong word);
        for (long at = slot == null ? 0 : HashIndex.AddressOf(word); at >= _log.Log.BeginAddress;)
        {
            bool inMemory = at >= _log.Log.HeadAddress;
            byte[] record = inMemory
                ? new ReadOnlySpan<byte>(_log.Log.Pointer(at), 32).ToArray()
                : _log.ReadBack(at, 32);
            ulong header = BitConverter.ToUInt64(record);
            bool discarded = _log.Storage.IsDiscarded(at, header);
            Assert.False(inMemory && discarded, $"A chain in memory leads to an abandoned record at {at}.");
            if (!ChainJoinRecord.Is(header) && BitConverter.ToInt64(record, 8) == key && !discarded)
                return (header & RecordHeader.Tombstone) != 0 ? 0 : BitConverter.ToInt64(record, 24);
            long previous;
            fixed (byte* start = record) previous = ChainJoinRecord.Next(start, header, HashOf(key));
            Assert.True(previous < at);
            at = previous;
        }

        return 0;
    }

    private sealed record IndexCopy(Dictionary<ulong, long> Entries, long Buckets, long Start, long End);
}
