using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Checkpoints;

/// <summary>
/// Encodes a <see cref="CommitRecord"/> as the bytes of its file, and decodes it (docs/formats/commit.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What is encoded is decoded to an equal record.</item>
/// <item>Any other bytes give a <see cref="DamagedDataException"/> with the offset of the damage.</item>
/// <item>Decoding allocates nothing larger than the file.</item>
/// </list>
/// <para>Thread-safe: pure functions.</para>
/// </remarks>
internal static class CommitRecordFile
{
    /// <summary>The offset in the file of the commit's version.</summary>
    public const int VersionAt = 24;

    private const byte HasCheckpoint = 1; // in the flags of an index; up to version 3, in those of the record
    private const byte HasName = 1;       // in the flags of a session
    private const long MaxAddress = (1L << 48) - 1;
    private const int MinSnapshot = 8 + 8 + 4, IncarnationBytes = 8 + 4, DiscardedBytes = 8 + 8 + 1;
    private const int MinSession = 1 + 8 + 8 + 4, AgeBytes = 8 + 8;
    private const int MinLog = 4 + (4 * 8) + (4 * 4), MinIndex = 4 + 8 + 1;
    private const uint WithAges = 2;      // the first format version that has ages
    private const uint WithClock = 3;
    private const uint WithLists = 4;     // lists of logs and indexes; earlier versions have one of each
    private const uint WithPrevious = 5;

    private static readonly long LatestClock = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    /// <summary>The bytes that a named session takes in a record, without its excluded serial numbers.</summary>
    public static long BytesOf(string name) => MinSession + sizeof(uint) + ((long)sizeof(char) * name.Length);

    /// <summary>Encodes a record.</summary>
    /// <param name="record">The record.</param>
    /// <param name="storeIdentity">The identity of the store that the record belongs to.</param>
    /// <param name="most">The most bytes that the record may take.</param>
    /// <exception cref="ArgumentException">The record breaks an invariant of commit records.</exception>
    /// <exception cref="LimitExceededException">The record would be too large to be read again.</exception>
    public static byte[] Encode(CommitRecord record, ulong storeIdentity, long most = MetadataKind.MaxBytes)
    {
        if (Fault(record) is { } fault) throw new ArgumentException($"A commit record with {fault}.", nameof(record));
        long sessionBytes = record.Sessions.Sum(static point =>
            BytesOf(point.SessionName ?? "") + ((long)sizeof(long) * point.Excluded.Count));
        if (sessionBytes > most) throw TooLarge(record, sessionBytes, most);
        var writer = new MetadataWriter(MetadataKind.Commit);
        writer.Add(storeIdentity);
        writer.Add(record.Version);
        writer.Add((byte)record.Kind);
        writer.Add((byte)0);
        writer.Add((ushort)0);
        writer.Add(record.Clock);
        writer.Add(record.Previous);
        AddList(writer, record.Logs, Add);
        AddList(writer, record.Indexes, Add);
        AddList(writer, record.Sessions, Add);
        byte[] bytes = writer.End();
        return bytes.Length > most ? throw TooLarge(record, bytes.Length, most) : bytes;
    }

    /// <summary>Decodes a record.</summary>
    /// <param name="path">The file's path, for messages.</param>
    /// <param name="bytes">All bytes of the file.</param>
    /// <param name="storeIdentity">The identity of the store that the record should belong to.</param>
    /// <exception cref="DamagedDataException">The bytes are damaged, or of a version that is not supported.</exception>
    public static CommitRecord Decode(string path, byte[] bytes, ulong storeIdentity)
    {
        var reader = new MetadataReader(MetadataKind.Commit, path, bytes);
        if (reader.Next<ulong>() != storeIdentity) throw reader.Damaged("it belongs to another store");
        long version = reader.Next(1, long.MaxValue, "a version");
        var kind = (CommitKind)reader.Next<byte>(0, (byte)CommitKind.Incremental, "a kind");
        CommitRecord record = reader.Version < WithLists
            ? NextOfOneLog(reader, version, kind)
            : NextOfLists(reader, version, kind);
        reader.End();
        return Fault(record) is { } fault ? throw reader.Damaged($"it has {fault}") : record;
    }

    private static CommitRecord NextOfLists(MetadataReader reader, long version, CommitKind kind)
    {
        reader.Next<byte>(0, 0, "flags");
        reader.Next<ushort>(0, 0, "reserved bytes");
        return new CommitRecord
        {
            Version = version,
            Kind = kind,
            Clock = reader.Next(CommitRecord.EarliestClock, LatestClock, "a time"),
            Previous = reader.Version < WithPrevious ? 0 : reader.Next(0, version - 1, "the version before"),
            Logs = NextList(reader, MinLog, "logs", NextLog),
            Indexes = NextList(reader, MinIndex, "indexes", NextIndex),
            Sessions = NextList(reader, MinSession, "sessions", NextSession),
        };
    }

    // Format versions 1 to 3.
    private static CommitRecord NextOfOneLog(MetadataReader reader, long version, CommitKind kind)
    {
        byte flags = reader.Next<byte>(0, HasCheckpoint, "flags");
        reader.Next<ushort>(0, 0, "reserved bytes");
        var log = new CommittedLog
        {
            Name = CommittedLog.Main,
            BeginAddress = NextAddress(reader),
            FlushedUntilAddress = NextAddress(reader),
            StartAddress = NextAddress(reader),
            EndAddress = NextAddress(reader),
            Incarnations = [],
        };
        var index = new CommittedIndex
        {
            Name = CommittedLog.Main,
            BucketCount = NextBucketCount(reader),
            Checkpoint = (flags & HasCheckpoint) != 0 ? NextCheckpoint(reader) : null,
        };
        log = log with
        {
            Snapshots = NextList(reader, MinSnapshot, "snapshots", NextSnapshot),
            Incarnations = NextList(reader, IncarnationBytes, "incarnations", NextIncarnation),
            Discarded = NextList(reader, DiscardedBytes, "discarded ranges", NextDiscarded),
        };
        CommitPoint[] sessions = NextList(reader, MinSession, "sessions", NextSession);
        LogAge[] ages = reader.Version < WithAges ? [] : NextList(reader, AgeBytes, "ages", NextAge);
        return new CommitRecord
        {
            Version = version,
            Kind = kind,
            Clock = reader.Version < WithClock
                ? CommitRecord.EarliestClock
                : reader.Next(CommitRecord.EarliestClock, LatestClock, "a time"),
            Logs = [log with { Ages = ages }],
            Indexes = [index],
            Sessions = sessions,
        };
    }

    private static LimitExceededException TooLarge(CommitRecord record, long bytes, long most) => new(
        $"The record of commit {record.Version} would have {bytes:N0} bytes, of {most:N0} at most: it lists "
        + $"{record.Sessions.Count:N0} named sessions, and "
        + $"{record.Sessions.Sum(static p => (long)p.Excluded.Count):N0} operations that their points leave out. "
        + "Nothing is lost. Forget sessions that are not continued any more (ForgetSession), complete what is pending, "
        + "and commit again.");

    // What is impossible in a commit, even with a correct checksum; null if nothing is.
    private static string? Fault(CommitRecord record)
    {
        if (record.Clock < CommitRecord.EarliestClock || record.Clock > LatestClock)
            return "a time that no clock shows";
        if (record.Logs.Count == 0) return "no log";
        if (record.Logs.DistinctBy(static log => log.Name).Count() != record.Logs.Count) return "two logs of one name";
        if (record.Indexes.DistinctBy(static index => index.Name).Count() != record.Indexes.Count)
            return "two indexes of one name";
        return record.Logs.Select(Fault).Concat(record.Indexes.Select(index => Fault(record, index)))
            .FirstOrDefault(static fault => fault is not null);
    }

    private static string? Fault(CommitRecord record, CommittedIndex index)
    {
        if (record.Logs.FirstOrDefault(log => log.Name == index.Name) is not { } log) return "an index without a log";
        if (index.Checkpoint is not { } checkpoint) return null;
        if (!StoreFileNames.IsIndex(checkpoint.FileName) && !StoreFileNames.IsDirectory(checkpoint.FileName))
            return $"an index checkpoint named '{checkpoint.FileName}'";
        return checkpoint.StartAddress > checkpoint.EndAddress || checkpoint.EndAddress > log.EndAddress
            ? "an index checkpoint that ends after it"
            : null;
    }

    private static string? Fault(CommittedLog log)
    {
        if (!(log.BeginAddress <= log.FlushedUntilAddress && log.FlushedUntilAddress <= log.EndAddress))
            return "addresses out of order";
        if (log.StartAddress > log.EndAddress) return "a start above its end";
        if (log.Snapshots.FirstOrDefault(s => !StoreFileNames.IsSnapshot(s.FileName)) is { } snapshot)
            return $"a snapshot named '{snapshot.FileName}'";
        return FaultOfRanges(log);
    }

    private static string? FaultOfRanges(CommittedLog log)
    {
        if (log.Incarnations.Count == 0 || log.Incarnations[0].FromAddress != 0)
            return "no first incarnation at address 0";
        for (int i = 1; i < log.Incarnations.Count; i++)
        {
            (long from, uint number) = log.Incarnations[i - 1];
            if (log.Incarnations[i].FromAddress <= from || log.Incarnations[i].Number <= number)
                return "incarnations out of order";
        }

        long end = 0;
        foreach (DiscardedRange range in log.Discarded)
        {
            if (range.FromAddress < end || range.FromAddress >= range.ToAddress) return "discarded ranges out of order";
            end = range.ToAddress;
        }

        for (int i = 0; i < log.Ages.Count; i++)
        {
            LogAge age = log.Ages[i];
            if (age.Address > log.EndAddress) return "an age above its end";
            if (i != 0 && (age.Address <= log.Ages[i - 1].Address || age.Utc < log.Ages[i - 1].Utc))
                return "ages out of order";
        }

        return null;
    }

    private static void AddList<T>(MetadataWriter writer, IReadOnlyList<T> list, Action<MetadataWriter, T> add)
    {
        writer.Add((uint)list.Count);
        foreach (T element in list) add(writer, element);
    }

    private static T[] NextList<T>(
        MetadataReader reader, int leastBytes, string what, Func<MetadataReader, T> next)
    {
        var list = new T[reader.NextCount(leastBytes, what)];
        for (int i = 0; i < list.Length; i++) list[i] = next(reader);
        return list;
    }

    private static long NextAddress(MetadataReader reader) => reader.Next(0, MaxAddress, "an address");

    private static long NextBucketCount(MetadataReader reader) =>
        reader.Next(1, HashBits.MaxBucketCount, "a number of buckets");

    private static void Add(MetadataWriter writer, CommittedLog log)
    {
        writer.Add(log.Name);
        writer.Add(log.BeginAddress);
        writer.Add(log.FlushedUntilAddress);
        writer.Add(log.StartAddress);
        writer.Add(log.EndAddress);
        AddList(writer, log.Snapshots, Add);
        AddList(writer, log.Incarnations, Add);
        AddList(writer, log.Discarded, Add);
        AddList(writer, log.Ages, Add);
    }

    private static CommittedLog NextLog(MetadataReader reader) => new()
    {
        Name = reader.NextText(),
        BeginAddress = NextAddress(reader),
        FlushedUntilAddress = NextAddress(reader),
        StartAddress = NextAddress(reader),
        EndAddress = NextAddress(reader),
        Snapshots = NextList(reader, MinSnapshot, "snapshots", NextSnapshot),
        Incarnations = NextList(reader, IncarnationBytes, "incarnations", NextIncarnation),
        Discarded = NextList(reader, DiscardedBytes, "discarded ranges", NextDiscarded),
        Ages = NextList(reader, AgeBytes, "ages", NextAge),
    };

    private static void Add(MetadataWriter writer, CommittedIndex index)
    {
        writer.Add(index.Name);
        writer.Add(index.BucketCount);
        writer.Add(index.Checkpoint is null ? (byte)0 : HasCheckpoint);
        if (index.Checkpoint is { } checkpoint) Add(writer, checkpoint);
    }

    private static CommittedIndex NextIndex(MetadataReader reader)
    {
        string name = reader.NextText();
        long buckets = NextBucketCount(reader);
        bool hasCheckpoint = reader.Next<byte>(0, HasCheckpoint, "flags") != 0;
        return new CommittedIndex
        {
            Name = name, BucketCount = buckets, Checkpoint = hasCheckpoint ? NextCheckpoint(reader) : null,
        };
    }

    private static void Add(MetadataWriter writer, IndexReference checkpoint)
    {
        writer.Add(checkpoint.Identity);
        writer.Add(checkpoint.Bytes);
        writer.Add(checkpoint.StartAddress);
        writer.Add(checkpoint.EndAddress);
        writer.Add(checkpoint.FileName);
    }

    private static IndexReference NextCheckpoint(MetadataReader reader)
    {
        ulong identity = reader.Next<ulong>();
        long bytes = reader.Next(1, long.MaxValue, "a length");
        long start = NextAddress(reader), end = NextAddress(reader);
        return new IndexReference(reader.NextText(), identity, bytes, start, end);
    }

    private static void Add(MetadataWriter writer, SnapshotReference snapshot)
    {
        writer.Add(snapshot.Identity);
        writer.Add(snapshot.Bytes);
        writer.Add(snapshot.FileName);
    }

    private static SnapshotReference NextSnapshot(MetadataReader reader)
    {
        ulong identity = reader.Next<ulong>();
        long bytes = reader.Next(1, long.MaxValue, "a length");
        return new SnapshotReference(reader.NextText(), identity, bytes);
    }

    private static void Add(MetadataWriter writer, Incarnation incarnation)
    {
        writer.Add(incarnation.FromAddress);
        writer.Add(incarnation.Number);
    }

    private static Incarnation NextIncarnation(MetadataReader reader) =>
        new(NextAddress(reader), reader.Next<uint>(1, uint.MaxValue, "an incarnation"));

    private static void Add(MetadataWriter writer, DiscardedRange range)
    {
        writer.Add(range.FromAddress);
        writer.Add(range.ToAddress);
        writer.Add(range.Version);
    }

    private static DiscardedRange NextDiscarded(MetadataReader reader) =>
        new(NextAddress(reader), NextAddress(reader), reader.Next<byte>(1, byte.MaxValue, "a version code"));

    private static void Add(MetadataWriter writer, LogAge age)
    {
        writer.Add(age.Address);
        writer.Add(age.Utc.Ticks);
    }

    private static LogAge NextAge(MetadataReader reader)
    {
        long address = NextAddress(reader);
        long ticks = reader.Next(0, DateTime.MaxValue.Ticks, "a time");
        return new LogAge(address, new DateTime(ticks, DateTimeKind.Utc));
    }

    private static void Add(MetadataWriter writer, CommitPoint point)
    {
        writer.Add(point.SessionName is null ? (byte)0 : HasName);
        writer.Add(point.SerialNumber);
        writer.Add(point.Version);
        AddList(writer, point.Excluded, static (to, number) => to.Add(number));
        if (point.SessionName is { } name) writer.Add(name);
    }

    private static CommitPoint NextSession(MetadataReader reader)
    {
        byte flags = reader.Next<byte>(0, HasName, "flags");
        long serialNumber = reader.Next<long>(), version = reader.Next<long>();
        long last = long.MinValue; // they ascend
        long[] excluded = NextList(reader, sizeof(long), "excluded operations",
            from => last = from.Next(last, long.MaxValue, "an excluded operation"));
        string? name = (flags & HasName) != 0 ? reader.NextText() : null;
        return new CommitPoint(name, serialNumber, version) { Excluded = excluded };
    }
}
