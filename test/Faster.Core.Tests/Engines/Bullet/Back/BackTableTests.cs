using Faster.Devices.Folders;
using Faster.Engines.Bullet.Back;
using Faster.Persistence;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>
/// The back beside a dictionary: puts, removals, tombstones, growth, and what happens when it is full.
/// </summary>
public sealed class BackTableTests
{
    private const int SmallBytes = 2 << 20;

    [Fact]
    public void It_has_what_a_dictionary_has_also_when_it_is_opened_again() => TestSeed.Run(20, static seed =>
    {
        var random = new Random(seed);
        using var back = new TestBack(SmallBytes, TestBack.Small);
        int[] lengths = [0, 8, 100, 1000, 5000, 40_000];
        for (int step = 0; step < 60; step++)
        {
            int keys = random.Next(1, 20);
            long[] chosen = [.. Enumerable.Range(0, keys).Select(_ => (long)random.Next(60))];
            if (random.Next(3) == 0) back.Remove(chosen);
            else
            {
                int most = random.Next(10) == 0 ? lengths.Length : 4;
                back.Put([.. chosen.Select(key => (key, TestBack.ValueOf(random, lengths[random.Next(most)])))]);
            }

            if (random.Next(4) == 0) back.Round++;
            if (random.Next(10) == 0) back.Sweep();
            if (random.Next(8) == 0) back.Reopen(random.Next(4) == 0 ? 64 << 10 : 0);
            if (random.Next(4) == 0) back.AssertSame();
        }

        back.AssertSame();
    });

    [Fact]
    public void Buckets_are_split_as_entries_come()
    {
        using var back = new TestBack(32 << 20, BackShape.For(32 << 20));
        const int Keys = 60_000;
        foreach (long[] some in Enumerable.Range(0, Keys).Select(static key => (long)key).Chunk(500))
            back.Put([.. some.Select(static key => (key, BitConverter.GetBytes(key)))]);
        BackFigures figures = back.Table.Figures;
        Assert.Equal(Keys, figures.Entries);
        Assert.InRange(figures.Buckets, Keys * 2 / 3, Keys);
        back.Reopen();
        back.AssertSame();
        Assert.Equal(figures, back.Table.Figures);
    }

    [Fact]
    public void A_change_that_is_not_newer_is_passed_over()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        (ulong hash, byte[] key, byte[] value) = (TestBack.HashOf(1), TestBack.KeyOf(1), [1, 2, 3]);
        var read = new BackValue();
        BackPart part = back.Table.PartOf(hash);
        using (BackBatch batch = part.Begin(1))
        {
            Assert.Equal(BackChange.Applied, batch.TryPut(hash, key, value, 10));
            Assert.Equal(BackChange.Older, batch.TryPut(hash, key, [4], 10));
            Assert.Equal(BackChange.Older, batch.TryRemove(hash, key, 9));
            Assert.False(back.Table.TryRead(hash, key, read)); // not committed
            batch.Commit();
            Assert.True(back.Table.TryRead(hash, key, read));
            Assert.Equal(BackChange.Applied, batch.TryRemove(hash, key, 11));
        }

        Assert.True(back.Table.TryRead(hash, key, read)); // the removal was dropped
        Assert.Equal((10, 3), (read.Counter, read.Bytes.Length));
        using (BackBatch batch = part.Begin(1))
        {
            Assert.Equal(BackChange.Applied, batch.TryRemove(hash, key, 12));
            batch.Commit();
            Assert.Equal(BackChange.Older, batch.TryPut(hash, key, value, 12));
        }

        Assert.False(back.Table.TryRead(hash, key, read));
        Assert.Equal(12, read.Counter);
        back.Table.Verify();
    }

    [Fact]
    public void A_tombstone_stays_until_two_rounds_later()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        long[] keys = [.. Enumerable.Range(0, 300)];
        long empty = back.Table.Figures.FreeBytes;
        back.Put([.. keys.Select(static key => (key, new byte[100]))]);
        back.Round = 5;
        back.Remove(keys);
        Assert.Equal((0, keys.Length), (back.Table.Figures.Entries, back.Table.Figures.Tombstones));
        back.Round = 6;
        back.Sweep();
        Assert.Equal(keys.Length, back.Table.Figures.Tombstones);
        back.Round = 7;
        back.Put([.. keys.Take(20).Select(static key => (key + 1000, new byte[10]))]); // walks some buckets
        Assert.InRange(back.Table.Figures.Tombstones, 1, keys.Length - 1);
        back.Sweep();
        back.AssertSame();
        back.Remove([.. back.Keys]);
        back.Round = 9;
        back.Sweep();
        back.AssertSame();
        Assert.Equal(0, back.Table.Figures.Tombstones);
        Assert.InRange(back.Table.Figures.FreeBytes, empty - (8 * BackLayout.PageBytes), empty); // segments stay
    }

    [Fact]
    public void A_part_that_is_full_says_so_and_takes_more_when_it_is_opened_with_more()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        Random random = TestSeed.NewRandom();
        long key = 0;
        Action fill = () =>
        {
            while (true) back.Put((key++, TestBack.ValueOf(random, random.Next(2000))));
        };
        var error = Assert.Throws<LimitExceededException>(fill);
        Assert.Contains("Capacity", error.Message, StringComparison.Ordinal);
        Assert.InRange(key, 500, 2200);
        back.AssertSame();
        back.Reopen();
        back.AssertSame();
        back.Reopen(SmallBytes);
        for (int i = 0; i < 500; i++) back.Put((key++, TestBack.ValueOf(random, random.Next(2000))));
        back.AssertSame();
    }

    [Fact]
    public void A_batch_with_a_change_that_has_no_space_can_be_committed_without_it()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        (ulong hash, byte[] key) = (TestBack.HashOf(1), TestBack.KeyOf(1));
        using (BackBatch batch = back.Table.PartOf(hash).Begin(1))
        {
            Assert.Equal(BackChange.Applied, batch.TryPut(hash, key, [1], 1));
            Assert.Throws<LimitExceededException>(() => batch.TryPut(hash, key, new byte[SmallBytes], 2));
            batch.Commit();
        }

        back.Table.Verify();
        Assert.True(back.Table.TryRead(hash, key, new BackValue()));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_file_that_grows_has_all_keys_on_disk_and_in_memory(bool onDisk)
    {
        using var folder = new TemporaryFolder(onDisk);
        using FolderFiles files = FolderFiles.OpenFolder(folder.Path);
        (ulong hash, byte[] key, var read) = (TestBack.HashOf(1), TestBack.KeyOf(1), new BackValue());
        MappedFileRegion.Create(files, "back", SmallBytes).Dispose();
        for (int i = 1; i < 4; i++)
        {
            long length = MappedFileRegion.Grow(files, "back", i * SmallBytes);
            using BackTable table = TestBack.Open(MappedFileRegion.Open(files, "back", length), TestBack.Small);
            Assert.Equal(i > 1, table.TryRead(hash, key, read));
            Assert.InRange(table.Figures.HeapBytes, (i * SmallBytes) - (64 << 10), i * SmallBytes);
            using (BackBatch batch = table.PartOf(hash).Begin(1))
            {
                Assert.Equal(BackChange.Applied, batch.TryPut(hash, key, new byte[i * 100_000], i));
                batch.Commit();
            }

            table.Verify();
            Assert.True(table.TryRead(hash, key, read) && read.Bytes.Length == i * 100_000);
        }
    }

    [Fact]
    public void A_part_is_held_by_one_at_a_time()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        BackPart part = back.Table.Parts[0];
        using (BackBatch batch = part.Begin(1))
        {
            Assert.Null(part.TryBegin(1));
            back.Table.Parts[1].Begin(1).Dispose();
        }

        using BackBatch? again = part.TryBegin(1);
        Assert.NotNull(again);
    }

    [Fact]
    public void Other_types_and_other_batches_are_refused()
    {
        var region = new EmulatedRegion(SmallBytes, TimeSpan.Zero);
        using BackTable table = TestBack.Open(region, TestBack.Small);
        Assert.Contains(
            "other",
            Assert.Throws<StoreOpenException>(() => BackTable.Open(region, TestBack.Small, "other", 1)).Message,
            StringComparison.Ordinal);
        Assert.Throws<StoreOpenException>(() => TestBack.Open(region, TestBack.Small with { WithRedo = false }));
        using var small = new EmulatedRegion(TestBack.Small.MinBytes - 4096, TimeSpan.Zero);
        Assert.Throws<LimitExceededException>(() => TestBack.Open(small, TestBack.Small));
        using var longest = new EmulatedRegion(SmallBytes, TimeSpan.Zero);
        Assert.Throws<LimitExceededException>(() => BackTable.Open(longest, TestBack.Small, new string('x', 5000), 1));
        Assert.True(BackHeader.IsMissing(longest));
    }

    [Fact]
    public void The_smallest_region_is_enough_for_an_entry_of_each_part()
    {
        foreach (BackShape shape in new[] { TestBack.Small, BackShape.For(0), BackShape.For(1L << 40) })
        {
            using var back = new TestBack(shape.MinBytes, shape);
            back.Put([.. Enumerable.Range(0, 64).Select(static key => ((long)key, new byte[50]))]);
            back.AssertSame();
        }
    }

    [Fact]
    public void Without_redo_it_has_the_same()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small with { WithRedo = false });
        Random random = TestSeed.NewRandom();
        for (int i = 0; i < 200; i++)
        {
            back.Put((random.Next(100), TestBack.ValueOf(random, random.Next(300))));
            if (i % 3 == 0) back.Remove(random.Next(100));
        }

        back.Reopen();
        back.AssertSame();
    }

    [Fact]
    public void Threads_read_and_change_it_at_the_same_time()
    {
        const int Bytes = 16 << 20, Writers = 2, Keys = 200;
        using BackTable table = TestBack.Open(new EmulatedRegion(Bytes, TimeSpan.Zero), BackShape.For(Bytes));
        int rounds = TestBudget.Times(300), left = Writers;
        Action[] writers = [.. Enumerable.Range(0, Writers).Select(writer => (Action)(() =>
        {
            var random = new Random(writer);
            for (int round = 1; round <= rounds; round++)
            {
                for (int key = 0; key < Keys; key++) Change(table, key, (round * Writers) + writer, random, round);
            }

            Interlocked.Decrement(ref left);
        }))];
        Parallel.Invoke([.. writers, Read, Read]);
        table.Verify();

        void Read()
        {
            var read = new BackValue();
            while (Volatile.Read(ref left) != 0)
            {
                for (int key = 0; key < Keys; key++)
                {
                    if (!table.TryRead(TestBack.HashOf(key), TestBack.KeyOf(key), read)) continue;
                    Assert.True(read.Bytes.IndexOfAnyExcept((byte)read.Counter) < 0, $"The value of {key} is torn.");
                }
            }
        }
    }

    [Fact]
    public void A_scan_returns_each_key_once_while_buckets_are_split()
    {
        using var back = new TestBack(SmallBytes, TestBack.Small);
        const int Keys = 300;
        back.Put([.. Enumerable.Range(0, Keys).Select(static key => ((long)key, new byte[8]))]);
        long before = back.Table.Figures.Buckets;
        var seen = new List<long>();
        BackScan scan = back.Table.Scan();
        for (int added = Keys; scan.MoveNext(); added++)
        {
            seen.Add(BitConverter.ToInt64(scan.Key));
            if (added < 10 * Keys) back.Put((added, new byte[8]), (added + 100_000, new byte[8]));
            back.Put((seen[^1], new byte[16]));
        }

        Assert.True(back.Table.Figures.Buckets > 2 * before);
        Assert.Equal(seen.Count, seen.Distinct().Count());
        Assert.Empty(Enumerable.Range(0, Keys).Select(static key => (long)key).Except(seen));
    }

    private static void Change(BackTable table, int key, long counter, Random random, long round)
    {
        using BackBatch batch = table.PartOf(TestBack.HashOf(key)).Begin(round);
        byte[] value = new byte[random.Next(10) == 0 ? random.Next(50_000) : random.Next(300)];
        Array.Fill(value, (byte)counter);
        _ = random.Next(5) == 0
            ? batch.TryRemove(TestBack.HashOf(key), TestBack.KeyOf(key), counter)
            : batch.TryPut(TestBack.HashOf(key), TestBack.KeyOf(key), value, counter);
        batch.Commit();
    }
}
