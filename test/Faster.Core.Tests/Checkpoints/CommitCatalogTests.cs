using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices.Folders;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using static Faster.Tests.Checkpoints.CommitRecords;
using static Faster.Tests.Checkpoints.PublishedCommits;

namespace Faster.Tests.Checkpoints;

/// <summary>Commits are published whole, kept for two generations, and trusted only if all of them is there.</summary>
public sealed class CommitCatalogTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void An_empty_folder_has_no_commit()
    {
        using FolderFiles files = Open();
        Assert.Null(new CommitCatalog(files, Owner).ReadNewest(false, []));
        Assert.Null(new CommitCatalog(files, Owner).ReadNewest(true, []));
    }

    [Fact]
    public void The_newest_that_was_published_is_read()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        List<DamagedDataException> skipped = [];
        CommitRecord? newest = new CommitCatalog(files, Owner).ReadNewest(false, skipped);
        Assert.True(AreEqual(Sample(3), newest!));
        Assert.Empty(skipped);
    }

    [Fact]
    public void Two_generations_are_kept_with_what_they_name_and_no_more()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3, 4);
        Assert.Equal(
            ["commits", "index.000000000003", "index.000000000004", "snapshot.000000000002", "snapshot.000000000003",
                "snapshot.000000000004"], Names());
    }

    [Fact]
    public void A_file_that_the_next_commit_will_name_is_not_removed()
    {
        using FolderFiles files = Open();
        CommitCatalog catalog = Publish(files, 1, 2);
        Make(files, "index.000000000009", 10);
        PublishNext(files, catalog, 3);
        Assert.Contains("index.000000000009", Names());
    }

    [Fact]
    public void Files_that_were_never_published_are_removed_when_a_commit_is_adopted()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        string[] kept = Names();
        string[] reclamation = ["commits.new", "index.000000000004", "snapshot.000000000004",
            "store.meta.new"];
        foreach (string name in reclamation) Make(files, name, 10);
        Make(files, "notes.new", 1);
        Make(files, "log.000000000000", 1);
        var catalog = new CommitCatalog(files, Owner);
        catalog.Adopt(catalog.ReadNewest(false, [])!);
        Assert.Equal([.. kept, "log.000000000000", "notes.new"], Names().ToHashSet());
    }

    [Fact]
    public void A_damaged_record_is_refused_or_skipped_as_told_and_reading_removes_nothing()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        CommitsFile.DamageNewest(_folder.Path);
        string[] names = Names();
        var catalog = new CommitCatalog(files, Owner);
        var error = Assert.Throws<DamagedDataException>(() => catalog.ReadNewest(false, []));
        Assert.Equal(PathOf(CommitsFile.Name), error.Path);
        List<DamagedDataException> skipped = [];
        Assert.True(AreEqual(Sample(2), catalog.ReadNewest(true, skipped)!));
        Assert.Equal(PathOf(CommitsFile.Name), Assert.Single(skipped).Path);
        Assert.Equal(names, Names());
    }

    [Theory]
    [InlineData("index.000000000003", false)]
    [InlineData("index.000000000003", true)]
    [InlineData("snapshot.000000000003", false)]
    [InlineData("snapshot.000000000003", true)]
    public void A_record_is_not_trusted_when_a_file_is_missing_or_cut(string name, bool cut)
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        if (cut) File.WriteAllBytes(PathOf(name), new byte[5]);
        else File.Delete(PathOf(name));
        var catalog = new CommitCatalog(files, Owner);
        Assert.Equal(PathOf(name), Assert.Throws<DamagedDataException>(() => catalog.ReadNewest(false, [])).Path);
        List<DamagedDataException> skipped = [];
        Assert.Equal(2, catalog.ReadNewest(true, skipped)!.Version);
        Assert.Equal(PathOf(name), Assert.Single(skipped).Path);
    }

    [Fact]
    public void Damage_that_is_found_later_leads_to_the_next_older_one_and_none_is_never_an_empty_store()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        var catalog = new CommitCatalog(files, Owner);
        List<DamagedDataException> skipped = [];
        Assert.Equal(3, catalog.ReadNewest(true, skipped)!.Version);
        skipped.Add(new DamagedDataException("inside its index"));
        Assert.Equal(2, catalog.ReadNewest(true, skipped, below: 3)!.Version);
        var older = new DamagedDataException("inside its index, too");
        skipped.Add(older);
        Assert.Same(skipped[0], Assert.Throws<DamagedDataException>(() => catalog.ReadNewest(true, skipped, below: 2)));
    }

    [Fact]
    public void The_snapshots_of_a_commit_that_is_adopted_and_of_the_one_before_can_be_read()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3);
        var catalog = new CommitCatalog(files, Owner);
        Assert.False(catalog.Snapshots.Has(Sample(3).Log.Snapshots));
        catalog.Adopt(catalog.ReadNewest(false, [])!);
        Assert.True(catalog.Snapshots.Has(Sample(3).Log.Snapshots) && catalog.Snapshots.Has(Sample(2).Log.Snapshots));
    }

    [Fact]
    public void Files_of_a_failed_commit_are_removed_unless_it_is_published()
    {
        using FolderFiles files = Open();
        CommitCatalog catalog = Publish(files, 1, 2);
        string[] before = Names();
        Make(files, "snapshot.000000000003", 10);
        Make(files, "commits.new", 10);
        catalog.Discard(3);
        Assert.Equal(before, Names());
        catalog.Discard(2); // its sync has failed, say, but it is in the file
        Assert.Equal(before, Names());
        catalog.Discard(7); // which has written nothing
        Assert.Equal(before, Names());
    }

    [Fact]
    public void A_store_without_a_log_commits_and_its_file_stays_as_long_as_a_kept_commit_names_it()
    {
        using FolderFiles files = Open();
        var catalog = new CommitCatalog(files, Owner);
        for (long version = 1; version <= 4; version++)
        {
            Make(files, FileOf(version).FileName, FileOf(version).Bytes);
            catalog.Publish(OfFile(version));
            catalog.RemoveUnneeded();
        }

        Assert.Equal(
            ["commits", "directory.000000000003", "directory.000000000004"], Names());
        CommitRecord newest = new CommitCatalog(files, Owner).ReadNewest(false, [])!;
        Assert.True(AreEqual(OfFile(4) with { Previous = 3 }, newest));
        files.Delete(FileOf(4).FileName);
        var error = Assert.Throws<DamagedDataException>(() => new CommitCatalog(files, Owner).ReadNewest(false, []));
        Assert.Equal(PathOf(FileOf(4).FileName), error.Path);
    }

    [Fact]
    public void A_commit_after_a_skipped_one_is_the_newest()
    {
        using FolderFiles files = Open();
        Publish(files, 1, 2, 3, 4);
        CommitsFile.Damage(_folder.Path, 4);
        var catalog = new CommitCatalog(files, Owner);
        catalog.Adopt(catalog.ReadNewest(true, [])!);
        Assert.Contains("snapshot.000000000004", Names()); // it is not known yet what the skipped ones need
        PublishNext(files, catalog, 4);
        Assert.True(AreEqual(Sample(4), new CommitCatalog(files, Owner).ReadNewest(false, [])!));
        Assert.Equal([3, 4], CommitsFile.Versions(_folder.Path));
        Assert.Equal(4, new CommitCatalog(files, Owner).ReadNewest(false, [])!.Version);
    }

    [Fact]
    public void Metadata_that_is_gone_while_commits_are_there_is_damage()
    {
        using FolderFiles files = Open();
        Assert.Null(StoreMetadata.TryRead(files));
        Publish(files, 1);
        var error = Assert.Throws<DamagedDataException>(() => StoreMetadata.TryRead(files));
        Assert.Equal(PathOf("store.meta"), error.Path);
    }

    [Fact]
    public void At_every_call_that_fails_there_is_a_typed_error_and_the_newest_commit_can_be_read()
    {
        for (int n = 1; ; n++)
        {
            using var folder = new TemporaryFolder();
            var calls = new NthCallFails(n);
            long published = 0;
            bool failed = false;
            using (FolderFiles files = FolderFiles.OpenFolder(folder.Path, unbuffered: true, calls))
            {
                var catalog = new CommitCatalog(files, Owner);
                for (long version = 1; version <= 4 && !failed; version++)
                {
                    Exception? error = Record.Exception(() => PublishNext(files, catalog, version));
                    failed = error is not null;
                    if (failed) Assert.IsType<StorageException>(error);
                    else published = version;
                }
            }

            CheckOrder(calls.Log);
            using FolderFiles again = FolderFiles.OpenFolder(folder.Path);
            long newest = new CommitCatalog(again, Owner).ReadNewest(false, [])?.Version ?? 0;
            Assert.InRange(newest, published, published + 1); // a failed sync may have been of something that lasts
            if (!calls.Failed) return;
        }
    }

    // No final name without the content synced before, and no record before the names of what it refers to.
    private static void CheckOrder(List<string> log)
    {
        HashSet<string> synced = [];
        bool namesSynced = true;
        foreach (string[] call in log.Select(line => line.Split(' ')))
        {
            switch (call[0])
            {
                case "create":
                    namesSynced &= call[1].EndsWith(".new", StringComparison.Ordinal);
                    synced.Remove(call[1]);
                    break;
                case "write":
                    synced.Remove(call[1]);
                    if (call[1] == CommitsFile.Name)
                        Assert.True(namesSynced, "a record was written before the names of its files were synced");
                    break;
                case "sync":
                    synced.Add(call[1]);
                    break;
                case "folder":
                    namesSynced = true;
                    break;
                case "rename":
                    Assert.Contains(call[1], synced);
                    Assert.True(namesSynced, "a record was published before the names of its files");
                    break;
            }
        }
    }

    private FolderFiles Open() => FolderFiles.OpenFolder(_folder.Path);

    private string PathOf(string name) => Path.Combine(_folder.Path, name);

    private string[] Names() => [.. Directory.EnumerateFiles(_folder.Path).Select(path => Path.GetFileName(path)!)
        .Where(name => name != "store.lock").Order(StringComparer.Ordinal)];
}
