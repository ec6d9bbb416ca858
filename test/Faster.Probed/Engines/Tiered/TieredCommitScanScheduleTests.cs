using Faster.Analytics;
using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Compaction;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.LogCommits;
using Faster.Operations;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Scheduling;
using Faster.Tiers;
using static Faster.Tests.Engines.Tiered.FourKeys;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A scan as of a commit beside records that move, truncation of both logs, and later commits that release the space of
/// what is truncated, under controlled schedules: it returns the state of its commit, or is refused.
/// </summary>
public sealed class TieredCommitScanScheduleTests : IDisposable
{
    private const long Next = 5;

    private static readonly ExplorationOptions Options =
        new() { Schedules = TestBudget.Times(150), PreemptionBound = 3 };

    private readonly TemporaryFolder _temporary = new();
    private readonly FolderFiles _files;

    public TieredCommitScanScheduleTests() => _files = FolderFiles.OpenFolder(_temporary.Path);

    public void Dispose()
    {
        _files.Dispose();
        _temporary.Dispose();
    }

    [Fact]
    public void It_returns_the_state_of_its_commit_or_is_refused() =>
        Explorer.Run(Options, ScanBesideMoves).AssertClean();

    [Fact]
    public void A_pin_without_a_look_at_what_commits_still_need_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.PinWithoutLook], Schedules = 10_000 }, ScanBesideMoves)
        .AssertFound("has been given up");

    [Fact]
    public void A_scan_that_passes_the_end_of_its_commit_is_found() => Explorer
        .Run(Options with { Bugs = [SeededBug.CommitScanPassesEnd], Schedules = 10_000 }, ScanBesideMoves)
        .AssertFound("Collections differ");

    // The commit has a key that is hot, one that is cold, one in both tiers, and one deleted above its cold record.
    // After it, the cold one is updated, and a new one is written; both move.
    private Scenario ScanBesideMoves()
    {
        ScheduledTiers tiers = FourKeys.Tiers(4);
        var commits = new Commits(tiers, _files);
        commits.Make();
        tiers.Put(0, Cold, 12);
        tiers.Put(0, Next, 50);
        tiers.ShiftReadOnly();
        ScanPart[]? parts = null;
        bool isRefused = false;
        return new Scenario(
            [
                () =>
                {
                    try
                    {
                        parts = commits.Capture(version: 1);
                    }
                    catch (FasterException e) when (e.Reason == ErrorReason.CommitUnavailable)
                    {
                        isRefused = true;
                    }
                },
                () =>
                {
                    tiers.MoveFirstPageOfHot(1);
                    commits.Make();
                    commits.Make();
                },
                () => tiers.CompactFirstPage(2),
            ],
            () =>
            {
                Assert.NotEqual(isRefused, parts is not null);
                if (parts is not null)
                {
                    List<(long Key, long? Value)> state = ScheduledTiers.Scan(parts);
                    Assert.Equal([(Hot, 10), (Both, 30), (Cold, 11)], state.OrderBy(static pair => pair.Key));
                }

                tiers.Dispose();
            });
    }

    // What commits do of which a scan knows: they note where the logs are, and release what no kept one needs. The
    // phases, in which operations change their version, have tests of their own.
    private sealed class Commits : IDisposable
    {
        private readonly ScheduledTiers _tiers;
        private readonly CommitCatalog _catalog;
        private readonly KeptLog _hot, _cold;
        private long _version;

        public Commits(ScheduledTiers tiers, StoreFiles files)
        {
            _tiers = tiers;
            _catalog = new CommitCatalog(files, 7);
            _hot = KeptLogOf(tiers.Store.Hot, CommittedLog.Main);
            _cold = KeptLogOf(tiers.Store.Cold, StoreFileNames.ColdLog);
        }

        public void Dispose() => _catalog.Dispose();

        public void Make()
        {
            long version = ++_version;
            var record = new CommitRecord
            {
                Version = version, Kind = CommitKind.FoldOver,
                Parts = [Describe(_hot), Describe(_cold)],
            };
            _catalog.Publish(record);
            foreach (KeptLog log in (KeptLog[])[_cold, _hot])
            {
                log.Space.OnPublished();
                log.Source.Commits.Add(CommitLogRange.Of(record, log.Source.Name));
            }

            _hot.Space.Release();
            _cold.Space.Release();
        }

        public ScanPart[] Capture(long version) => ScannedLogs.OfCommit([_hot, _cold], version);

        private CommittedPart Describe(KeptLog log)
        {
            long begin = log.Source.Log.BeginAddress, end = log.Source.Log.ShiftReadOnlyToTail();
            return _logs[log.Source.Name].Describe(begin, end, end, end, []);
        }

        private readonly Dictionary<string, DurableLog> _logs = [];

        private KeptLog KeptLogOf(Tier tier, string name)
        {
            var log = new DurableLog(
                name, tier.PagedLog!, tier.Storage!, tier.Flusher!, _tiers.StepsOf(tier).Rising,
                new DiskSpace(tier.Storage!, tier.PagedLog!.Pins, 1), new LogAgeIndex(TimeProvider.System));
            _logs.Add(name, log);
            var source = new LogSource(tier, _catalog, name);
            return new KeptLog(source, new(log, _catalog, isRecovered: false));
        }
    }
}
