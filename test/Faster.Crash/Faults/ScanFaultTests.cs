using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.Faults;

/// <summary>
/// The n-th read of a scan, an export or a subscription fails, for n = 1, 2, … until one is clean: a typed error, what
/// was returned by then is right, and the next attempt returns everything.
/// </summary>
public sealed class ScanFaultTests
{
    private const int Keys = 3_000;

    public static TheoryData<CommitKind, ScanScope> Commits
    {
        get
        {
            var commits = new TheoryData<CommitKind, ScanScope>();
            foreach (CommitKind kind in Enum.GetValues<CommitKind>())
            foreach (ScanScope scope in Enum.GetValues<ScanScope>()) commits.Add(kind, scope);
            return commits;
        }
    }

    [Theory, MemberData(nameof(Commits))]
    public async Task A_scan_as_of_a_commit(CommitKind kind, ScanScope scope)
    {
        var disk = new CrashDisk();
        await using FasterStore store = await OpenAsync(disk);
        LedgerRecords.Put(store, 1, Keys / 3);
        _ = await store.CommitAsync(CommitKind.Snapshot);
        LedgerRecords.Put(store, (Keys / 3) + 1, Keys);
        Commit commit = await store.CommitAsync(kind);
        LedgerRecords.Put(store, Keys + 1, 2 * Keys);
        LedgerDisk.Narrow(store);
        var options = new ScanOptions { AsOf = commit, Scope = scope };
        int failures = await FailEachReadAsync(disk, async () =>
        {
            List<long> keys = [];
            await foreach (long key in store.Analytics.ScanAsync(options, KeyOf)) keys.Add(key);
            Assert.Equal(Enumerable.Range(1, Keys).Select(static key => (long)key), keys.Order());
        });
        Assert.True(failures > 3, $"Only {failures} reads: the test shows nothing.");
        for (int i = 0; i < 3; i++)
        {
            LedgerRecords.Put(store, 1, 2);
            _ = await store.CommitAsync(CommitKind.FoldOver);
        }

        // No scan holds the snapshots any more, however it has ended.
        Assert.DoesNotContain(
            disk.Live.Names.Keys, static name => name.StartsWith("snapshot.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_export_fails_its_reader_and_what_was_written_is_refused()
    {
        var disk = new CrashDisk();
        await using FasterStore store = await OpenAsync(disk);
        LedgerRecords.Put(store, 1, Keys);
        Commit commit = await store.CommitAsync(CommitKind.Snapshot);
        int failures = await FailEachReadAsync(disk, async () =>
        {
            using var bytes = new MemoryStream();
            try
            {
                PipeReader reader = store.Analytics.OpenReader(new ScanOptions { AsOf = commit });
                await reader.CopyToAsync(bytes);
                await reader.CompleteAsync();
            }
            catch (FasterException)
            {
                bytes.Position = 0;
                await Assert.ThrowsAsync<DamagedDataException>(() => ImportAsync(bytes));
                throw;
            }

            bytes.Position = 0;
            Assert.Equal(Keys, await ImportAsync(bytes));
        });
        Assert.True(failures > 3, $"Only {failures} reads: the test shows nothing.");
    }

    [Fact]
    public async Task A_subscription_resumes_where_it_has_stopped()
    {
        var disk = new CrashDisk();
        await using FasterStore store = await OpenAsync(disk);
        LedgerRecords.Put(store, 1, 2 * Keys);
        _ = await store.CommitAsync(CommitKind.FoldOver);
        LedgerDisk.Narrow(store);
        List<long> seen = [];
        long resumeAt = SubscribeOptions.Beginning;
        int failures = await FailEachReadAsync(disk, async () =>
        {
            if (seen.Count == 2 * Keys) (seen, resumeAt) = ([], SubscribeOptions.Beginning);
            var options = new SubscribeOptions { FromAddress = resumeAt, CommittedOnly = true };
            await foreach (LogEntry<long> item in store.Analytics.SubscribeAsync(options, KeyOf))
            {
                seen.Add(item.Record);
                resumeAt = item.NextAddress;
                if (seen.Count == 2 * Keys) break;
            }

            Assert.Equal(Enumerable.Range(1, 2 * Keys).Select(static key => (long)key), seen);
        });
        Assert.True(failures > 3, $"Only {failures} reads: the test shows nothing.");
    }

    private static async Task<int> FailEachReadAsync(CrashDisk disk, Func<Task> read)
    {
        for (int n = 1; ; n++)
        {
            long before = disk.Faults;
            disk.Arm(new DiskFault(DiskCall.Read, n));
            Exception? error = await Record.ExceptionAsync(read).WaitAsync(TimeSpan.FromMinutes(1));
            disk.Arm(null);
            if (disk.Faults == before)
            {
                Assert.Null(error);
                return n - 1;
            }

            Assert.IsType<StorageException>(error);
            await read().WaitAsync(TimeSpan.FromMinutes(1));
        }
    }

    private static Task<FasterStore> OpenAsync(CrashDisk disk) =>
        LedgerDisk.OpenAsync(disk, new LedgerPlan(LedgerFeature.Exporting, 1), LedgerLife.TimeOf(1));

    private static async Task<long> ImportAsync(Stream bytes)
    {
        await using FasterStore copy = await OpenAsync(new CrashDisk());
        return await LedgerRecords.ImportAsync(copy, bytes);
    }

    private static long KeyOf(RecordView record) => BitConverter.ToInt64(record.Key);
}
