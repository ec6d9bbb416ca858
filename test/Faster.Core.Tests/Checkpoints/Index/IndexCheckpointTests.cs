using System.Diagnostics;
using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Checkpoints.Index;
using Faster.Contracts;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Invariants;
using Faster.Log.Records;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.Segments;
using Faster.Tests.Fuzzing;
using Xunit.Abstractions;

namespace Faster.Tests.Checkpoints.Index;

/// <summary>An index that was written is loaded as it was, also while it is being changed.</summary>
public sealed unsafe class IndexCheckpointTests(ITestOutputHelper output) : IDisposable
{
    private const ulong Owner = 77;
    private const string Name = "index.000000000001";
    private const long Limit = 1L << 40;
    private readonly TemporaryFolder _folder = new();
    private readonly EpochTable _epochs = new();

    public void Dispose()
    {
        _folder.Dispose();
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(1, 3)]
    [InlineData(1, 300)]        // one chain of many overflow buckets
    [InlineData(64, 200)]
    [InlineData(1, 16_000)]     // most tags
    [InlineData(1500, 20_000)]  // several sections
    [InlineData(60_000, 250_000)] // several batches, on several threads
    [InlineData(100_000, 0)]
    public void A_quiet_index_is_loaded_entry_for_entry(int buckets, int entries)
    {
        using HashIndex index = Filled(buckets, entries);
        IndexReference reference = Write(index);
        using HashIndex loaded = Load(reference, buckets);
        Assert.Equal(Entries(index), Entries(loaded));
        Assert.Equal(index.OverflowBuckets, loaded.OverflowBuckets);
        Assert.Equal(new FileInfo(PathOf(Name)).Length, reference.Bytes);
        Assert.Equal((1000, 1001), (reference.StartAddress, reference.EndAddress));
    }

    [Fact]
    public void Frozen_chains_stay_frozen_and_tentative_entries_are_left_out()
    {
        using HashIndex index = Filled(8, 100);
        HashBucket* frozen = BucketOf(index, 3), tentative = BucketOf(index, 4), both = BucketOf(index, 5);
        Assert.True(SharedTagChain.ShareTags(frozen));
        index.State.Table.CountSharedTags();
        *FreeSlot(tentative) = EntryWord.Of(0x3FFF, 5) | EntryWord.Tentative;
        Assert.True(SharedTagChain.ShareTags(both));
        index.State.Table.CountSharedTags();
        ulong* underWay = FreeSlot(both);
        *underWay = EntryWord.Of(0x3FFF, 5) | EntryWord.Tentative; // began before tags were shared; too late
        using HashIndex loaded = Load(Write(index), 8);
        Assert.Equal(0UL, *underWay);
        *FreeSlot(tentative) = 0;
        Assert.Equal(Entries(index).Where(e => e.Tag != 0x3FFF), Entries(loaded));
        Assert.Equal(2, loaded.SharedTagBuckets);
        Assert.True(HashBucket.SharesTags(BucketOf(loaded, 3)) && HashBucket.SharesTags(BucketOf(loaded, 5)));
        Assert.False(HashBucket.SharesTags(BucketOf(loaded, 4)));
    }

    [Fact]
    public void Of_an_entry_that_was_met_twice_the_newer_one_is_written()
    {
        using HashIndex index = Filled(2, 30);
        HashBucket* first = BucketOf(index, 0);
        ulong word = first->Entries[0];
        *FreeSlot(first) = EntryWord.WithAddress(word, EntryWord.AddressOf(word) + 900);
        using var alone = new HashIndex(_epochs, 1);
        HashBucket* short1 = BucketOf(alone, 0);
        (short1->Entries[1], short1->Entries[6]) = (EntryWord.Of(9, 50), EntryWord.Of(9, 40));
        short1->Entries[4] = EntryWord.Of(9, 30);
        using HashIndex loaded = Load(Write(index), 2), loadedAlone = Load(Write(alone), 1);
        uint tag = (uint)(word >> EntryWord.TagShift);
        long met = Entries(loaded).Single(e => e.Bucket == 0 && e.Tag == tag).Address;
        Assert.Equal(EntryWord.AddressOf(word) + 900, met);
        Assert.Equal((0, 9u, 50), Entries(loadedAlone).Single());
    }

    [Fact]
    public void Entries_that_change_meanwhile_have_their_old_or_their_new_address()
    {
        const int Buckets = 2000, Keys = 16_000;
        using HashIndex index = Filled(Buckets, Keys);
        Dictionary<(long, uint), long> before = Entries(index).ToDictionary(e => (e.Bucket, e.Tag), e => e.Address);
        var stop = new CancellationTokenSource();
        Task changes = Task.Run(() => Change(index, Buckets, Keys, stop.Token));
        for (int i = 0; i < TestBudget.Times(5); i++)
        {
            using HashIndex loaded = Load(Write(index), Buckets);
            Dictionary<(long, uint), long> after = Entries(loaded).ToDictionary(e => (e.Bucket, e.Tag), e => e.Address);
            foreach (((long, uint) entry, long address) in before)
            {
                if (!after.TryGetValue(entry, out long now)) Assert.Fail($"{entry} was lost");
                Assert.InRange(now, address, Limit);
            }
        }

        stop.Cancel();
        Finish(changes);
    }

    [Fact]
    public void It_begins_when_no_operation_is_left_that_may_have_taken_an_address_before_it()
    {
        using HashIndex index = Filled(8, 10);
        using FolderFiles files = Open();
        nint slot = (nint)_epochs.Acquire("an operation");
        _epochs.Enter((EpochSlot*)slot);
        Task<(IndexReference Reference, long)> writing =
            IndexCheckpointWriter.WriteAsync(index, _epochs, () => 1000, files, Name, Owner);
        Assert.False(File.Exists(PathOf(Name)));
        Assert.True(index.TryInsert(BucketOf(index, 1), 0x3FFF, 999));
        Assert.False(writing.IsCompleted);
        _epochs.Leave((EpochSlot*)slot);
        _epochs.Release((EpochSlot*)slot);
        IndexReference reference = Result(writing).Reference;
        using HashIndex loaded = Load(files, reference, 8);
        Assert.Contains((1, 0x3FFFu, 999), Entries(loaded));
    }

    [Fact]
    public void Growth_and_checkpoints_wait_for_each_other()
    {
        using HashIndex index = Filled(8, 10);
        index.Exclusion.Wait(); // as a growth does
        using FolderFiles files = Open();
        Task<(IndexReference Reference, long)> writing =
            IndexCheckpointWriter.WriteAsync(index, _epochs, () => 1000, files, Name, Owner);
        using var cancelled = new CancellationTokenSource();
        Task other = IndexCheckpointWriter.WriteAsync(
            index, _epochs, () => 1000, files, Name, Owner, ct: cancelled.Token);
        cancelled.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => Finish(other));
        Assert.False(writing.IsCompleted || File.Exists(PathOf(Name)));
        index.Exclusion.Release();
        Finish(writing);
        Assert.Equal(1, index.Exclusion.CurrentCount);
    }

    [Fact]
    public void A_failed_write_is_a_typed_error_and_growth_may_go_on()
    {
        using HashIndex index = Filled(8, 10);
        for (int n = 1; ; n++)
        {
            var calls = new NthCallFails(n);
            using FolderFiles files = FolderFiles.OpenFolder(_folder.Path, unbuffered: true, calls);
            Exception? error = Record.Exception(() => Write(files, index));
            Assert.Equal(1, index.Exclusion.CurrentCount);
            if (!calls.Failed) break;
            Assert.IsType<StorageException>(error);
        }
    }

    [Fact]
    public void Content_that_no_index_holds_is_refused_with_its_place()
    {
        ulong[] faults = [1UL << EntryWord.TagShift, EntryWord.Of(5, Limit)]; // no address; one above the commit
        foreach (ulong fault in faults)
        {
            using HashIndex index = Filled(8, 10);
            BucketOf(index, 6)->Entries[2] = fault;
            int before = Entries(index).Count(static entry => entry.Bucket < 6);
            IndexReference reference = Write(index);
            int entryBytes = Content(reference)[14];
            var error = Assert.Throws<DamagedDataException>(() => Load(reference, 8).Dispose());
            Assert.Equal(PathOf(Name), error.Path);
            Assert.Equal(32 + 8 + 8 + 6 + (before * entryBytes), error.Offset); // within the first block
        }

        using HashIndex other = Filled(8, 10);
        IndexReference whole = Write(other);
        Assert.Contains(
            "8 buckets", Assert.Throws<DamagedDataException>(() => Load(whole, 9).Dispose()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void An_entry_of_the_read_cache_without_a_cache_is_a_violation()
    {
        using HashIndex index = Filled(8, 10);
        BucketOf(index, 6)->Entries[2] = EntryWord.Of(5, 7) | EntryWord.ReadCache;
        Assert.Throws<InvariantException>(() => Write(index));
    }

    [Fact]
    public void More_buckets_than_the_index_has_are_refused()
    {
        using HashIndex index = Filled(8, 10);
        IndexReference reference = Write(index);
        byte[] content = [.. Content(reference), .. new byte[63], 1];
        using FolderFiles files = Open();
        Assert.Throws<DamagedDataException>(() => Load(files, WriteContent(files, content, reference), 8).Dispose());
    }

    [Fact]
    public void A_failing_listener_ends_the_loading_and_its_threads()
    {
        using HashIndex index = Filled(60_000, 250_000);
        IndexReference reference = Write(index);
        using FolderFiles files = Open();
        for (int calls = 1; calls <= 3; calls++)
        {
            int left = calls;
            using var loaded = new HashIndex(_epochs, 60_000);
            Assert.Throws<OperationCanceledException>(() => IndexCheckpointReader.Load(
                files, reference, Owner, loaded.State.Table, Limit,
                _ => { if (--left == 0) throw new OperationCanceledException(); }));
        }
    }

    [Fact]
    public void Any_content_is_loaded_or_refused_though_its_blocks_are_sound()
    {
        using HashIndex index = Filled(20, 400);
        var calls = new FakeFileCalls { OnSync = static () => 0 };
        using var files = FolderFiles.OpenFolder(_folder.Path, unbuffered: false, calls);
        IndexReference reference = Write(files, index);
        byte[] content = Content(files, reference);
        Finish(Fuzz.RunAsync(1_000, output, random =>
        {
            byte[] bytes = [.. content];
            Mutator.MutateInPlace(bytes, random);
            if (random.Next(4) == 0) bytes = Mutator.Mutate(bytes, random);
            using HashIndex loaded = Load(files, WriteContent(files, bytes, reference), 20);
            Assert.All(Entries(loaded), entry => Assert.InRange(entry.Address, 1, Limit - 1));
        }));
    }

    [Fact]
    public void Figures_of_a_large_index()
    {
        int buckets = TestBudget.Times(1) > 1 ? 2_000_000 : 200_000;
        using HashIndex index = Filled(buckets, buckets * 5);
        for (int i = 0; i < 3; i++)
        {
            long start = Stopwatch.GetTimestamp();
            IndexReference reference = Write(index);
            TimeSpan written = Stopwatch.GetElapsedTime(start);
            using var loaded = new HashIndex(_epochs, buckets);
            using FolderFiles files = Open();
            start = Stopwatch.GetTimestamp();
            IndexCheckpointReader.Load(files, reference, Owner, loaded.State.Table, Limit);
            TimeSpan read = Stopwatch.GetElapsedTime(start);
            output.WriteLine($"{reference.Bytes >> 20} MiB: written in {written.TotalMilliseconds:F0} ms, "
                + $"loaded in {read.TotalMilliseconds:F0} ms, {index.OverflowBuckets} overflow buckets");
            Assert.Equal(index.OverflowBuckets, loaded.OverflowBuckets);
        }
    }

    private HashIndex Filled(long buckets, int entries)
    {
        var index = new HashIndex(_epochs, buckets);
        var random = new Random(entries);
        for (int i = 0; i < entries; i++)
        {
            ulong hash = (ulong)random.NextInt64(long.MinValue, long.MaxValue);
            Assert.True(index.TryLocate(hash, out BucketRef bucket));
            index.TryInsert(bucket.Bucket, HashBits.TagOf(hash), i + 1);
        }

        return index;
    }

    // Moves entries on, and inserts new ones: an address only grows, and no entry goes.
    private static void Change(HashIndex index, int buckets, int keys, CancellationToken stop)
    {
        var random = new Random(1);
        for (long address = keys + 1; !stop.IsCancellationRequested && address < Limit; address++)
        {
            HashBucket* bucket = index.State.Table.Buckets + random.Next(buckets);
            uint tag = (uint)random.Next(200);
            ulong* slot = HashIndex.Find(bucket, tag, out ulong word);
            if (slot != null) HashIndex.TryReplace(slot, word, address);
            else index.TryInsert(bucket, tag, address);
        }
    }

    private FolderFiles Open() => FolderFiles.OpenFolder(_folder.Path);

    private string PathOf(string name) => Path.Combine(_folder.Path, name);

    private IndexReference Write(HashIndex index)
    {
        using FolderFiles files = Open();
        return Write(files, index);
    }

    private IndexReference Write(FolderFiles files, HashIndex index)
    {
        long tail = 999;
        (IndexReference reference, long buckets) = Result(IndexCheckpointWriter.WriteAsync(
            index, _epochs, () => ++tail, files, Name, Owner));
        Assert.Equal(index.BucketCount, buckets);
        return reference;
    }

    private HashIndex Load(IndexReference reference, long buckets)
    {
        using FolderFiles files = Open();
        return Load(files, reference, buckets);
    }

    private HashIndex Load(FolderFiles files, IndexReference reference, long buckets)
    {
        var index = new HashIndex(_epochs, buckets);
        try
        {
            IndexCheckpointReader.Load(files, reference, Owner, index.State.Table, Limit);
            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    private static T Result<T>(Task<T> task) => task.GetAwaiter().GetResult();

    private static void Finish(Task task) => task.GetAwaiter().GetResult();

    private byte[] Content(IndexReference reference)
    {
        using FolderFiles files = Open();
        return Content(files, reference);
    }

    // With a few of the zeros that fill the last sector.
    private static byte[] Content(FolderFiles files, IndexReference reference)
    {
        using var reader = new ChecksummedFileReader(
            files, Name, ChecksummedFileKind.Index, Owner, reference.Identity, reference.Bytes);
        byte[] content = new byte[(int)reader.Remaining];
        reader.Read(content);
        int used = content.AsSpan().TrimEnd((byte)0).Length;
        return content[..Math.Min(used + 8, content.Length)];
    }

    private static IndexReference WriteContent(
        FolderFiles files, byte[] content, IndexReference reference)
    {
        using var writer = new ChecksummedFileWriter(files, Name, ChecksummedFileKind.Index, Owner);
        writer.Write(content);
        return reference with { Identity = writer.Identity, Bytes = writer.Complete() };
    }

    private static HashBucket* BucketOf(HashIndex index, long number) => index.State.Table.Buckets + number;

    // An empty one, or else the last one of the first bucket, whose entry is overwritten.
    private static ulong* FreeSlot(HashBucket* first)
    {
        ulong* slot = BucketChain.FindEmpty(first, out _);
        return slot == null ? &first->Entries[HashBucket.EntryCount - 1] : slot;
    }

    private static List<(long Bucket, uint Tag, long Address)> Entries(HashIndex index)
    {
        var entries = new List<(long, uint, long)>();
        for (long number = 0; number < index.BucketCount; number++)
        {
            for (HashBucket* bucket = BucketOf(index, number); bucket != null; bucket = HashBucket.Next(bucket))
            {
                for (int i = 0; i < HashBucket.EntryCount; i++)
                {
                    ulong word = bucket->Entries[i];
                    if (word != 0)
                        entries.Add((number, (uint)(word >> EntryWord.TagShift), EntryWord.AddressOf(word)));
                }
            }
        }

        return entries;
    }
}
