using System.Text;
using Faster.Crash.Disk;
using Faster.Devices.Folders;

namespace Faster.Crash.DiskTests;

/// <summary>The disk loses what a power cut may lose, and never what it may not.</summary>
public sealed class CrashDiskTests
{
    private const int Seeds = 400;

    [Fact]
    public void A_file_that_was_synced_with_its_name_is_always_there()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using StoreFile file = files.Create("a");
        file.Put("first", 0);
        file.Sync();
        files.SyncNames();
        file.Put("lost?", 600);
        Assert.All(Contents(disk, "a"), c => Assert.StartsWith("first", c, StringComparison.Ordinal));
    }

    [Fact]
    public void Unsynced_writes_are_there_as_a_whole_in_part_or_not_at_all()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using StoreFile file = files.Create("a");
        files.SyncNames();
        file.Put(new string('a', 512) + new string('b', 512) + new string('c', 512), 0);
        HashSet<string?> seen = [.. Contents(disk, "a").Select(c => c?.Replace("\0", "", StringComparison.Ordinal)
            .Replace("aa", "", StringComparison.Ordinal).Replace("bb", "", StringComparison.Ordinal)
            .Replace("cc", "", StringComparison.Ordinal))];
        Assert.Equal([""], seen); // no sector is torn
        HashSet<string> sectors = [.. Contents(disk, "a").Select(
            c => string.Concat(Enumerable.Range(0, c!.Length / 512).Select(i => c[i * 512] == 0 ? '.' : c[i * 512])))];
        Assert.Superset(new HashSet<string> { "", "a", "ab", "abc", ".b", "..c", ".bc", "a.c", "..." }, sectors);
    }

    [Fact]
    public void A_later_write_may_be_durable_without_an_earlier_one()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using StoreFile file = files.Create("a");
        files.SyncNames();
        file.Put("1", 0);
        file.Put("2", 512);
        file.Put("3", 0);
        HashSet<string> seen = [.. Contents(disk, "a").Select(c => c!.Replace("\0", "", StringComparison.Ordinal))];
        Assert.Superset(new HashSet<string> { "", "1", "2", "3", "12", "32" }, seen);
    }

    [Fact]
    public void A_file_whose_name_was_not_synced_may_be_gone_though_its_content_was()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using StoreFile file = files.Create("a");
        file.Put("synced", 0);
        file.Sync();
        HashSet<string?> seen = [.. Contents(disk, "a")];
        Assert.Equal([null, "synced"], seen.Order());
    }

    [Fact]
    public void A_renaming_is_there_or_not_and_never_half()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        files.Write("a", "old");
        files.SyncNames();
        files.Write("a.new", "new");
        files.Rename("a.new", "a");
        Assert.Equal(["new", "old"], Contents(disk, "a").Distinct().Order());
        files.SyncNames();
        Assert.Equal(["new"], Contents(disk, "a").Distinct());
        Assert.Equal([null], Contents(disk, "a.new").Distinct());
    }

    [Fact]
    public void A_deletion_that_was_not_synced_may_be_undone()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        files.Write("a", "content");
        files.SyncNames();
        files.Delete("a");
        Assert.Equal([null, "content"], Contents(disk, "a").Distinct().Order());
        files.SyncNames();
        Assert.Equal([null], Contents(disk, "a").Distinct());
    }

    [Theory]
    [InlineData(true, true, true)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    public void Publication_by_renaming_is_whole_at_every_boundary_only_if_both_syncs_are_made(
        bool syncsContent, bool syncsNames, bool isSafe)
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        files.Write("meta", "generation 0");
        files.SyncNames();
        int first = disk.Events.Count;
        for (int generation = 1; generation < 4; generation++)
        {
            using StoreFile file = files.Create("meta.new");
            file.Put($"generation {generation}" + new string('.', 1000), 0);
            if (syncsContent) file.Sync();
            files.Rename("meta.new", "meta");
            if (syncsNames) files.SyncNames();
            disk.Mark($"{generation}");
        }

        Assert.Equal(isSafe, new CrashScan(disk, 0, 40).All(first, int.MaxValue).All(state =>
        {
            string content = Text(state.Disk, "meta") ?? "";
            int told = state.Notes.Count == 0 ? 0 : int.Parse(state.Notes[^1], null);
            return content.StartsWith("generation ", StringComparison.Ordinal) && content[11] - '0' >= told;
        }));
    }

    [Fact]
    public void After_a_failed_sync_a_successful_one_does_not_make_the_content_durable()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        using StoreFile file = files.Create("a");
        files.SyncNames();
        file.Put("doomed", 0);
        disk.Arm(new DiskFault(DiskCall.Sync, 1));
        Assert.Throws<StorageException>(file.Sync);
        file.Sync();
        Assert.Contains("", Contents(disk, "a"));
        Assert.Equal(1, disk.SyncsAfterFailure);
    }

    [Fact]
    public void From_the_boundary_at_which_it_stops_every_call_fails_and_changes_nothing()
    {
        for (int stop = 0; stop < 7; stop++)
        {
            var disk = new CrashDisk { StopAt = stop };
            using StoreFiles files = disk.Mount();
            int failures = 0;
            foreach (Action call in (Action[])[
                () => files.Write("a", "1"), files.SyncNames, () => files.Rename("a", "b"), () => files.Delete("b")])
            {
                try
                {
                    call();
                }
                catch (StorageException)
                {
                    failures++;
                }
                catch (DamagedDataException)
                {
                    Assert.Fail("It went on after it had stopped.");
                }
            }

            Assert.Equal(stop < 6, failures > 0);
            Assert.Equal(stop < 6, disk.IsStopped);
            Assert.True(disk.Events.Count <= stop + 1); // a write is two events
        }
    }

    [Fact]
    public void A_killed_process_leaves_all_that_it_did_and_a_power_cut_after_it_may_still_take_that()
    {
        var disk = new CrashDisk();
        using StoreFiles files = disk.Mount();
        files.Write("a", "content");
        CrashDisk killed = disk.KillState(1, disk.Events.Count);
        Assert.Equal("content", Text(killed, "a"));
        Assert.Contains(null, Contents(killed, "a"));
        using StoreFiles again = killed.Mount();
        again.SyncNames();
        Assert.Equal(["content"], Contents(killed, "a").Distinct());
    }

    [Fact]
    public void A_full_disk_refuses_what_does_not_fit_and_goes_on_when_space_is_freed()
    {
        var disk = new CrashDisk { Capacity = 1000 };
        using StoreFiles files = disk.Mount();
        files.Write("a", new string('a', 800));
        var refused = Assert.Throws<StorageException>(() => files.Write("b", new string('b', 400)));
        Assert.True(refused.MayRetry);
        files.Delete("a");
        files.Write("b", new string('b', 400));
        Assert.Equal(400, Text(disk, "b")!.Length);
    }

    [Fact]
    public void One_seed_gives_one_state()
    {
        CrashDisk disk = RandomRun.Go(3, 300, out _);
        for (int seed = 0; seed < 50; seed++)
        {
            CrashDisk one = disk.CrashState(seed), other = disk.CrashState(seed);
            Assert.Equal(one.Live.Names.Keys.Order(), other.Live.Names.Keys.Order());
            foreach (string name in one.Live.Names.Keys) Assert.Equal(Text(one, name), Text(other, name));
        }
    }

    private static IEnumerable<string?> Contents(CrashDisk disk, string name) =>
        Enumerable.Range(0, Seeds).Select(seed => Text(disk.CrashState(seed), name));

    private static string? Text(CrashDisk disk, string name) =>
        disk.Live.Find(name) is { } file ? Encoding.ASCII.GetString(file.ToArray()) : null;
}
