using System.Globalization;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Crash.Disk;
using Faster.Devices.Folders;
using Faster.Probes;
using Faster.Tests.Scheduling;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Checkpoints;

/// <summary>
/// Commit records on a disk that loses what a power cut may lose: what was acknowledged is found, at every boundary and
/// with any sector of the file as it was before. Each bug of how records are written is found by what is not.
/// </summary>
public sealed class CommitSlotBugTests
{
    private const int Commits = 7, Seeds = 500; // a power cut seldom leaves parts of both copies

    [Fact]
    public void A_record_over_the_newest_one_is_found() =>
        AssertFound(SeededBug.SlotOfNewest, CutPower, "was acknowledged, and a power cut left");

    [Fact]
    public void An_acknowledgment_before_the_sync_is_found() =>
        AssertFound(SeededBug.SlotNotSynced, CutPower, "was acknowledged, and a power cut left");

    [Fact]
    public void A_record_that_is_written_once_is_found() =>
        AssertFound(SeededBug.RecordOnce, LoseWrites, "was acknowledged, and one stale sector left");

    private static void AssertFound(SeededBug bug, Func<string?> scenario, string symptom)
    {
        Assert.Null(scenario());
        using IDisposable seeded = SeededProbe.Seed(bug);
        Assert.Contains(symptom, scenario() ?? "nothing found", StringComparison.Ordinal);
    }

    private static string? CutPower()
    {
        foreach (CrashPoint crash in new CrashScan(Record(Commits), firstSeed: 0, Seeds).All())
        {
            long told = crash.Notes.Count == 0 ? 0 : long.Parse(crash.Notes[^1], CultureInfo.InvariantCulture);
            if (Find(crash.Disk) is var found && found < told)
                return $"{crash}: {told} was acknowledged, and a power cut left {found}.";
        }

        return null;
    }

    // A disk that does not write a sector leaves there what was before.
    private static string? LoseWrites()
    {
        for (int commits = 3; commits <= Commits; commits++)
        {
            DiskImage before = Record(commits - 1).Live, after = Record(commits).Live;
            for (int sector = 0; sector < after.Find(CommitsFile.Name)!.Sectors; sector++)
            {
                DiskImage stale = after.Clone();
                _ = stale.Restore(CommitsFile.Name, sector, before);
                if (Find(new CrashDisk(stale)) is var found && found != commits)
                    return $"{commits} was acknowledged, and one stale sector left {found}.";
            }
        }

        return null;
    }

    private static CrashDisk Record(int commits)
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using var catalog = new CommitCatalog(files, Owner);
        for (long version = 1; version <= commits; version++)
        {
            catalog.Publish(Least(version) with
            {
                // several blocks, so that a power cut can leave a part of them
                Sessions = [.. Enumerable.Range(0, 30).Select(i => new CommitPoint($"session {i}", version, version))],
            });
            disk.Mark(version.ToString(CultureInfo.InvariantCulture));
        }

        return disk;
    }

    // The newest commit; -1: the file is refused.
    private static long Find(CrashDisk disk)
    {
        using StoreFiles files = disk.Mount();
        try
        {
            using var catalog = new CommitCatalog(files, Owner);
            return catalog.ReadNewest(false, [])?.Version ?? 0;
        }
        catch (DamagedDataException)
        {
            return -1;
        }
    }
}
