using Faster.Checkpoints;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using static Faster.Tests.Checkpoints.CommitRecords;
using static Faster.Tests.Checkpoints.PublishedCommits;

namespace Faster.Tests.Checkpoints;

/// <summary>
/// Commit records lie in slots that are written in turn, each in two copies: no crash and no damage to one copy costs a
/// record.
/// </summary>
public sealed class CommitSlotsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_commit_that_names_no_new_file_writes_its_slot_and_makes_one_sync()
    {
        var calls = new NthCallFails(int.MaxValue);
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        using var catalog = new CommitCatalog(files, Owner);
        for (long version = 1; version <= 9; version++)
        {
            calls.Log.Clear();
            catalog.Publish(Least(version));
            catalog.RemoveUnneeded();
            if (version > 1) Assert.Equal(["write commits", "write commits", "sync commits"], calls.Log);
            Assert.Equal(Math.Min(version, 3), CommitsFile.Versions(_folder.Path).Length);
        }
    }

    [Fact]
    public void A_record_that_outgrows_its_slot_makes_a_larger_file_with_the_one_before_it()
    {
        using FolderFiles files = Open();
        using var catalog = new CommitCatalog(files, Owner);
        long length = 0;
        int renewed = 0;
        for (long version = 1; version <= 40; version++)
        {
            CommitRecord record = Least(version) with
            {
                Sessions = [.. Enumerable.Range(0, (int)version * 50).Select(i => new CommitPoint($"{i}", i, version))],
            };
            catalog.Publish(record);
            long now = new FileInfo(PathOf(CommitsFile.Name)).Length;
            if (now != length) renewed++;
            Assert.True(now >= length);
            length = now;
            using var again = new CommitCatalog(files, Owner);
            Assert.True(AreEqual(record with { Previous = version - 1 }, again.ReadNewest(false, [])!));
            Assert.Equal(version == 1 ? [1] : [version, version - 1], again.Versions()[..(int)Math.Min(version, 2)]);
        }

        Assert.InRange(renewed, 5, 12); // half as large again each time
    }

    [Fact]
    public void One_damaged_copy_costs_nothing_and_is_repaired_when_the_commit_is_adopted()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        byte[] before = File.ReadAllBytes(PathOf(CommitsFile.Name));
        foreach (long version in (long[])[3, 2])
        {
            foreach (long place in CommitsFile.CopiesOf(before, version))
            {
                byte[] damaged = [.. before];
                damaged[place + 100] ^= 1;
                File.WriteAllBytes(PathOf(CommitsFile.Name), damaged);
                using var catalog = new CommitCatalog(files, Owner);
                CommitRecord newest = catalog.ReadNewest(false, [])!;
                Assert.Equal(3, newest.Version);
                catalog.Adopt(newest);
                Assert.Equal(before, File.ReadAllBytes(PathOf(CommitsFile.Name)));
            }
        }
    }

    [Fact]
    public void A_write_that_a_crash_interrupts_is_the_commit_before_it_or_this_one()
    {
        using FolderFiles files = Open();
        CommitCatalog catalog = Publish(files, 1, 2, 3);
        byte[] before = File.ReadAllBytes(PathOf(CommitsFile.Name));
        PublishNext(files, catalog, 4);
        byte[] after = File.ReadAllBytes(PathOf(CommitsFile.Name));
        int[] changed = [.. Enumerable.Range(0, before.Length / 512).Where(
            i => !before.AsSpan(i * 512, 512).SequenceEqual(after.AsSpan(i * 512, 512)))];
        Assert.True(changed.Length is > 3 and < 12 && changed.Length % 2 == 0, $"{changed.Length} blocks");
        long[] copies = CommitsFile.CopiesOf(after, 4);
        for (int kept = 0; kept < 1 << changed.Length; kept++)
        {
            byte[] torn = [.. before];
            for (int i = 0; i < changed.Length; i++)
                if ((kept >> i & 1) != 0) after.AsSpan(changed[i] * 512, 512).CopyTo(torn.AsSpan(changed[i] * 512));
            File.WriteAllBytes(PathOf(CommitsFile.Name), torn);
            bool isWhole = copies.Any(copy => torn.AsSpan((int)copy, CommitSlots.Unit)
                .SequenceEqual(after.AsSpan((int)copy, CommitSlots.Unit)));
            Assert.Equal(isWhole ? 4 : 3, new CommitCatalog(files, Owner).ReadNewest(false, [])!.Version);
        }
    }

    [Fact]
    public void A_file_of_another_length_is_refused()
    {
        using FolderFiles files = Open();
        CommitCatalog catalog = Publish(files, 1, 2);
        catalog.Publish(Least(3) with // so that a part of the file has the length of another one
        {
            Sessions = [.. Enumerable.Range(0, 150).Select(i => new CommitPoint($"{i}", i, 3))],
        });
        byte[] bytes = File.ReadAllBytes(PathOf(CommitsFile.Name));
        Assert.True(bytes.Length >= 2 * CommitSlots.Count * CommitSlots.Copies * CommitSlots.Unit);
        for (int length = 0; length <= 2 * bytes.Length; length += 2048)
        {
            if (length == bytes.Length) continue;
            byte[] other = [.. bytes];
            Array.Resize(ref other, length);
            File.WriteAllBytes(PathOf(CommitsFile.Name), other);
            Assert.Throws<DamagedDataException>(() => new CommitCatalog(files, Owner).ReadNewest(true, []));
        }
    }

    [Fact]
    public void A_record_whose_write_has_failed_is_written_over_and_its_files_stay_until_then()
    {
        var calls = new NthCallFails(int.MaxValue);
        using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
        CommitCatalog catalog = Publish(files, 1, 2, 3);
        Make(files, FileOf(4).FileName, FileOf(4).Bytes);
        calls.Arm(3, persistent: false, full: false); // after the names are synced: the write of the second copy
        Assert.Throws<StorageException>(() => catalog.Publish(OfFile(4)));
        catalog.Discard(4);
        Assert.Equal(4, new CommitCatalog(files, Owner).ReadNewest(false, [])!.Version); // one copy was written
        catalog.Publish(Least(5));
        catalog.RemoveUnneeded();
        Assert.DoesNotContain(FileOf(4).FileName, Names());
        CommitRecord newest = new CommitCatalog(files, Owner).ReadNewest(false, [])!;
        Assert.Equal((5, 3), (newest.Version, newest.Previous));
        Assert.Equal([2, 3, 5], CommitsFile.Versions(_folder.Path));
    }

    private FolderFiles Open() => FolderFiles.OpenFolder(_folder.Path);

    private string PathOf(string name) => Path.Combine(_folder.Path, name);

    private string[] Names() => [.. Directory.EnumerateFiles(_folder.Path).Select(path => Path.GetFileName(path)!)];
}
