using System.Globalization;

namespace Faster.Checkpoints;

/// <summary>The names of the files in a store's folder: a prefix, and a number of at least twelve digits.</summary>
/// <remarks>Whatever else lies in the folder is let alone. Thread-safe: pure functions.</remarks>
internal static class StoreFileNames
{
    private const int Digits = 12;
    private const string CommitPrefix = "commit.", IndexPrefix = "index.", SnapshotPrefix = "snapshot.";
    private const string LogPrefix = "log.";

    /// <summary>What is known of the times at which records expire.</summary>
    public const string Expiries = "expiries";

    /// <summary>The record of a commit.</summary>
    public static string Commit(long version) => NameOf(CommitPrefix, version);

    /// <summary>A checkpoint of the index.</summary>
    public static string Index(long version) => NameOf(IndexPrefix, version);

    /// <summary>A snapshot, or an increment.</summary>
    public static string Snapshot(long version) => NameOf(SnapshotPrefix, version);

    /// <summary>Whether it is the record of a commit, and of which.</summary>
    public static bool IsCommit(string name, out long version) => Is(CommitPrefix, name, out version);

    /// <summary>Whether it is a checkpoint of the index.</summary>
    public static bool IsIndex(string name) => Is(IndexPrefix, name, out _);

    /// <summary>Whether it is a snapshot or an increment.</summary>
    public static bool IsSnapshot(string name) => Is(SnapshotPrefix, name, out _);

    /// <summary>Whether it is a segment of the log.</summary>
    public static bool IsSegment(string name) => Is(LogPrefix, name, out _);

    /// <summary>Whether it is a file of the store that was never published.</summary>
    public static bool IsTemporary(string name) =>
        name.EndsWith(MetadataFile.TemporarySuffix, StringComparison.Ordinal)
        && name[..^MetadataFile.TemporarySuffix.Length] is var final
        && (final is StoreMetadata.FileName or Expiries || IsCommit(final, out _));

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
