using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Log;
using Faster.Tests.Fuzzing;

namespace Faster.Tests.Checkpoints;

/// <summary>Commit records in earlier versions of the format, which are no longer written.</summary>
internal static class OldCommitRecords
{
    private const int FormatAt = 8, PreviousAt = 44;

    /// <summary>
    /// A record in version 4, or one of one log and one index in version 1, 2 or 3, without what that version has not.
    /// </summary>
    public static byte[] Encode(CommitRecord record, ulong storeIdentity, uint version)
    {
        if (version == 4)
        {
            byte[] newest = CommitRecordFile.Encode(record, storeIdentity);
            byte[] old = [.. newest[..PreviousAt], .. newest[(PreviousAt + sizeof(long))..]];
            old[FormatAt] = 4;
            return NewChecksums.Metadata(old);
        }

        (CommittedLog log, CommittedIndex index) = (record.Log, record.Index);
        var writer = new MetadataWriter(MetadataKind.Commit with { Version = version });
        writer.Add(storeIdentity);
        writer.Add(record.Version);
        writer.Add((byte)record.Kind);
        writer.Add(index.Checkpoint is null ? (byte)0 : (byte)1);
        writer.Add((ushort)0);
        writer.Add(log.BeginAddress);
        writer.Add(log.FlushedUntilAddress);
        writer.Add(log.StartAddress);
        writer.Add(log.EndAddress);
        writer.Add(index.BucketCount);
        if (index.Checkpoint is { } checkpoint)
        {
            writer.Add(checkpoint.Identity);
            writer.Add(checkpoint.Bytes);
            writer.Add(checkpoint.StartAddress);
            writer.Add(checkpoint.EndAddress);
            writer.Add(checkpoint.FileName);
        }

        AddLists(writer, log);
        writer.Add((uint)record.Sessions.Count);
        foreach (CommitPoint point in record.Sessions) Add(writer, point);
        if (version >= 2)
        {
            writer.Add((uint)log.Ages.Count);
            foreach (LogAge age in log.Ages)
            {
                writer.Add(age.Address);
                writer.Add(age.Utc.Ticks);
            }
        }

        if (version >= 3) writer.Add(record.Clock);
        return writer.End();
    }

    private static void AddLists(MetadataWriter writer, CommittedLog log)
    {
        writer.Add((uint)log.Snapshots.Count);
        foreach (SnapshotReference snapshot in log.Snapshots)
        {
            writer.Add(snapshot.Identity);
            writer.Add(snapshot.Bytes);
            writer.Add(snapshot.FileName);
        }

        writer.Add((uint)log.Incarnations.Count);
        foreach ((long from, uint number) in log.Incarnations)
        {
            writer.Add(from);
            writer.Add(number);
        }

        writer.Add((uint)log.Discarded.Count);
        foreach (DiscardedRange range in log.Discarded)
        {
            writer.Add(range.FromAddress);
            writer.Add(range.ToAddress);
            writer.Add(range.Version);
        }
    }

    private static void Add(MetadataWriter writer, CommitPoint point)
    {
        writer.Add(point.SessionName is null ? (byte)0 : (byte)1);
        writer.Add(point.SerialNumber);
        writer.Add(point.Version);
        writer.Add((uint)point.Excluded.Count);
        foreach (long excluded in point.Excluded) writer.Add(excluded);
        if (point.SessionName is { } name) writer.Add(name);
    }
}
