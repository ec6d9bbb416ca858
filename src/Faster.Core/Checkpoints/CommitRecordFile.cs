using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Records;
using Faster.OperationLogs;

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

    private const long MaxAddress = (1L << 48) - 1;
    private const int MinFile = 8 + 8 + 4, IncarnationBytes = 8 + 4, DiscardedBytes = 8 + 8 + 1, AgeBytes = 8 + 8;
    private const int MinPart = 4 + (3 * 1) + 4, MarkBytes = 8 + 4, MinSession = 8 + 8 + 4 + 1;

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
        writer.Add(record.Clock);
        writer.Add(record.Previous);
        AddList(writer, record.Parts, Add);
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
        var record = new CommitRecord
        {
            Version = version,
            Kind = kind,
            Clock = reader.Next(CommitRecord.EarliestClock, LatestClock, "a time"),
            Previous = reader.Next(0, version - 1, "the version before"),
            Parts = NextList(reader, MinPart, "parts", NextPart),
            Sessions = NextList(reader, MinSession, "sessions", NextSession),
        };
        reader.End();
        return Fault(record) is { } fault ? throw reader.Damaged($"it has {fault}") : record;
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
        if (record.Parts.Count == 0) return "no part";
        if (record.Parts.DistinctBy(static part => part.Name).Count() != record.Parts.Count)
            return "two parts of one name";
        return record.Parts.Select(Fault).FirstOrDefault(static fault => fault is not null);
    }

    private static string? Fault(CommittedPart part)
    {
        if (part is { Log: null, File: null }) return "a part without a log and a file";
        if (part.Files.FirstOrDefault(static file => !StoreFileNames.IsCapture(file.FileName)) is { } foreign)
            return $"a file named '{foreign.FileName}'";
        if (part is { Log: null, Index: not null }) return "an index without a log";
        if (part.Marks.Count != 0 && (part.File is null || part.Log is not null)) return "marks without operation logs";
        if (part.Index?.Checkpoint is { } checkpoint
            && (checkpoint.StartAddress > checkpoint.EndAddress || checkpoint.EndAddress > part.Log!.EndAddress))
            return "an index checkpoint that ends after it";
        return part.Log is null ? null : Fault(part.Log);
    }

    private static string? Fault(CommittedLog log)
    {
        if (!(log.BeginAddress <= log.FlushedUntilAddress && log.FlushedUntilAddress <= log.EndAddress))
            return "addresses out of order";
        return log.StartAddress > log.EndAddress ? "a start above its end" : FaultOfRanges(log);
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

    private static void AddIfAny<T>(MetadataWriter writer, T? thing, Action<MetadataWriter, T> add)
        where T : class
    {
        writer.Add(thing is not null);
        if (thing is not null) add(writer, thing);
    }

    private static T? NextIfAny<T>(MetadataReader reader, string what, Func<MetadataReader, T> next)
        where T : class => reader.NextFlag(what) ? next(reader) : null;

    private static long NextAddress(MetadataReader reader) => reader.Next(0, MaxAddress, "an address");

    private static void Add(MetadataWriter writer, CommittedPart part)
    {
        writer.Add(part.Name);
        AddIfAny(writer, part.Log, Add);
        AddIfAny(writer, part.Index, Add);
        AddIfAny(writer, part.File, Add);
        AddList(writer, part.Marks, Add);
    }

    private static CommittedPart NextPart(MetadataReader reader) => new()
    {
        Name = reader.NextText(),
        Log = NextIfAny(reader, "logs", NextLog),
        Index = NextIfAny(reader, "indexes", NextIndex),
        File = NextIfAny(reader, "files", NextFile),
        Marks = NextList(reader, MarkBytes, "marks", NextMark),
    };

    private static void Add(MetadataWriter writer, LogMark mark)
    {
        writer.Add(mark.Position);
        writer.Add(mark.Checksum);
    }

    private static LogMark NextMark(MetadataReader reader) =>
        new(reader.Next(0, long.MaxValue, "a position"), reader.Next<uint>());

    private static void Add(MetadataWriter writer, CommittedLog log)
    {
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
        BeginAddress = NextAddress(reader),
        FlushedUntilAddress = NextAddress(reader),
        StartAddress = NextAddress(reader),
        EndAddress = NextAddress(reader),
        Snapshots = NextList(reader, MinFile, "snapshots", NextFile),
        Incarnations = NextList(reader, IncarnationBytes, "incarnations", NextIncarnation),
        Discarded = NextList(reader, DiscardedBytes, "discarded ranges", NextDiscarded),
        Ages = NextList(reader, AgeBytes, "ages", NextAge),
    };

    private static void Add(MetadataWriter writer, CommittedIndex index)
    {
        writer.Add(index.BucketCount);
        AddIfAny(writer, index.Checkpoint, AddCheckpoint);
    }

    private static CommittedIndex NextIndex(MetadataReader reader) => new()
    {
        BucketCount = reader.Next(1, HashBits.MaxBucketCount, "a number of buckets"),
        Checkpoint = NextIfAny(reader, "index checkpoints", NextCheckpoint),
    };

    private static void AddCheckpoint(MetadataWriter writer, IndexReference checkpoint)
    {
        Add(writer, checkpoint);
        writer.Add(checkpoint.StartAddress);
        writer.Add(checkpoint.EndAddress);
    }

    private static IndexReference NextCheckpoint(MetadataReader reader)
    {
        (string name, ulong identity, long bytes) = NextFile(reader);
        return new IndexReference(name, identity, bytes, NextAddress(reader), NextAddress(reader));
    }

    private static void Add(MetadataWriter writer, FileReference file)
    {
        writer.Add(file.FileName);
        writer.Add(file.Identity);
        writer.Add(file.Bytes);
    }

    private static FileReference NextFile(MetadataReader reader) =>
        new(reader.NextText(), reader.Next<ulong>(), reader.Next(1, long.MaxValue, "a length"));

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
        writer.Add(point.SerialNumber);
        writer.Add(point.Version);
        AddList(writer, point.Excluded, static (to, number) => to.Add(number));
        AddIfAny(writer, point.SessionName, static (to, name) => to.Add(name));
    }

    private static CommitPoint NextSession(MetadataReader reader)
    {
        long serialNumber = reader.Next<long>(), version = reader.Next<long>();
        long last = long.MinValue; // they ascend
        long[] excluded = NextList(reader, sizeof(long), "excluded operations",
            from => last = from.Next(last, long.MaxValue, "an excluded operation"));
        string? name = NextIfAny(reader, "names", static from => from.NextText());
        return new CommitPoint(name, serialNumber, version) { Excluded = excluded };
    }
}
