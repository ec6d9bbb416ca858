using System.Globalization;
using Faster.Devices.Segments;

namespace Faster.Checkpoints.Files;

/// <summary>The names of the files in a store's folder: a prefix, and a number of at least twelve digits.</summary>
/// <remarks>The store leaves all other files in the folder alone. Thread-safe: pure functions.</remarks>
internal static class StoreFileNames
{
    private const int Digits = 12;
    private const string IndexPrefix = "index.", SnapshotPrefix = "snapshot.";
    private const string DirectoryPrefix = "directory.", TablePrefix = "table.", OperationLogsPrefix = "operations-";

    private static readonly string FirstSegment = NameOf(".", 0);

    /// <summary>
    /// What the segments of a store's logs are named after: of the only or hot one, and of those of a cold tier.
    /// </summary>
    public const string MainLog = SegmentFiles.DefaultName, ColdLog = "cold", ChunkLog = "chunks";

    /// <summary>The files with the summary of expiry times: of the only or hot log, and of the cold one.</summary>
    public const string Expiries = "expiries", ColdExpiries = Expiries + "." + ColdLog;

    /// <summary>The file of commit records.</summary>
    public const string Commits = "commits";

    /// <summary>The name of a commit's checkpoint of the index.</summary>
    public static string Index(long version) => NameOf(IndexPrefix, version);

    /// <summary>The name of a commit's snapshot or increment.</summary>
    public static string Snapshot(long version) => NameOf(SnapshotPrefix, version);

    /// <summary>The name of a commit's directory of hash chunks.</summary>
    public static string Directory(long version) => NameOf(DirectoryPrefix, version);

    /// <summary>The name of a commit's file of the records of a table.</summary>
    public static string Table(long version) => NameOf(TablePrefix, version);

    /// <summary>What the file of operation logs that are made for a version is named after.</summary>
    public static string OperationLogs(long version) => NameOf(OperationLogsPrefix, version);

    /// <summary>Whether the file has operation logs.</summary>
    public static bool IsOperationLogs(string name) => name.EndsWith(FirstSegment, StringComparison.Ordinal)
        && Is(OperationLogsPrefix, name[..^FirstSegment.Length], out _);

    /// <summary>Whether the file is a checkpoint of the index.</summary>
    public static bool IsIndex(string name) => Is(IndexPrefix, name, out _);

    /// <summary>Whether the file is a snapshot or an increment.</summary>
    public static bool IsSnapshot(string name) => Is(SnapshotPrefix, name, out _);

    /// <summary>Whether the file is a directory of hash chunks.</summary>
    public static bool IsDirectory(string name) => Is(DirectoryPrefix, name, out _);

    /// <summary>Whether the file has the records of a table.</summary>
    public static bool IsTable(string name) => Is(TablePrefix, name, out _);

    /// <summary>Whether the file belongs to a commit, which names it.</summary>
    public static bool IsCapture(string name) => IsIndex(name) || IsSnapshot(name) || IsTable(name)
        || IsDirectory(name) || IsOperationLogs(name);

    /// <summary>The name of the summary of a log's expiry times.</summary>
    public static string ExpiriesOf(string log) => log == ColdLog ? ColdExpiries : Expiries;

    /// <summary>Whether the file is a summary of expiry times.</summary>
    public static bool IsExpiries(string name) => name is Expiries or ColdExpiries;

    /// <summary>Whether the file is a segment of a log.</summary>
    public static bool IsSegment(string name) =>
        Is(MainLog + ".", name, out _) || Is(ColdLog + ".", name, out _) || Is(ChunkLog + ".", name, out _);

    /// <summary>The name of a segment of a log.</summary>
    public static string Segment(string log, long number) => NameOf(log + ".", number);

    /// <summary>Whether a log or a file of the name lies where the cold tier does.</summary>
    public static bool IsOfColdTier(string name) => name is ColdLog or ChunkLog
        || name is ColdFolderMark.FileName or ColdFolderMark.FileName + MetadataFile.TemporarySuffix
        || Is(ColdLog + ".", name, out _) || Is(ChunkLog + ".", name, out _);

    /// <summary>Whether the file belongs to a store and is made only after its metadata are durable.</summary>
    public static bool IsPublishedLater(string name) =>
        name == Commits || IsSegment(name) || IsCapture(name) || IsExpiries(name);

    /// <summary>Whether the file belongs to the store but was never published.</summary>
    public static bool IsTemporary(string name) =>
        name.EndsWith(MetadataFile.TemporarySuffix, StringComparison.Ordinal)
        && name[..^MetadataFile.TemporarySuffix.Length] is var final
        && (final is StoreMetadata.FileName or ColdFolderMark.FileName or Commits || IsExpiries(final));

    private static string NameOf(string prefix, long number) =>
        prefix + number.ToString("D" + Digits, CultureInfo.InvariantCulture);

    private static bool Is(string prefix, string name, out long number)
    {
        number = 0;
        return name.StartsWith(prefix, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number)
            && name == NameOf(prefix, number);
    }
}
