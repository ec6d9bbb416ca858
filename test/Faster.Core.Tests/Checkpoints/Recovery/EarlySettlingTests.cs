using Faster.Checkpoints;
using Faster.Checkpoints.Recovery;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Resizing;
using Faster.Log;
using Faster.Log.Records;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Log;

namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>
/// What an earlier recovery has left out, below all that is replayed: pages that lead to it are settled before the
/// index is there, pages that hold it are not.
/// </summary>
/// <remarks>
/// A record is left out by the range that the commit lists, or by the mark that an increment has brought. All records
/// that matter share an entry in an index of one bucket, but not in one of two.
/// </remarks>
public sealed unsafe class EarlySettlingTests : IDisposable
{
    private const int PageBytes = 1 << PumpedLog.PageBits, RecordBytes = 32;
    private const long Key = 1;
    private static readonly long Neighbor = Enumerable.Range(2, 1_000_000).First(
        static key => HashBits.TagOf(HashOf(key)) == HashBits.TagOf(HashOf(Key))
            && HashBits.BucketOf(HashOf(key), 2) != HashBits.BucketOf(HashOf(Key), 2));

    private readonly TemporaryFolder _folder = new();
    private readonly FolderFiles _files;
    private readonly MemoryDevice _device = new();
    private PumpedLog _log;
    private HashIndex? _index;
    private bool _marks;

    public EarlySettlingTests()
    {
        _files = FolderFiles.OpenFolder(_folder.Path);
        _log = new PumpedLog(_device, residentPages: 16);
    }

    public void Dispose()
    {
        _index?.Dispose();
        _log.Dispose();
        _device.Dispose();
        _files.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_page_is_led_around_what_is_left_out_of_pages_below_it(bool marks)
    {
        _marks = marks;
        long old = Put(Neighbor, 0);
        NextPage();
        long first = PutLeftOut(old);
        NextPage(leaving: RecordBytes);
        long second = PutLeftOut(first); // up to the page's end
        long near = Put(Neighbor, second);
        NextPage(leaving: 2 * RecordBytes);
        long right = PutJoin(0, second), left = PutJoin(second, 0); // up to the page's end
        long far = Put(Key, near);
        NextPage();
        Recover(headPage: 0, far, () =>
        {
            Assert.Equal((near, old), (PreviousOf(far), PreviousOf(near)));
            Assert.Equal((0, old), (PreviousOf(right), ChainJoinRecord.Right(_log.Log.Pointer(right))));
            Assert.Equal((old, 0), (PreviousOf(left), ChainJoinRecord.Right(_log.Log.Pointer(left))));
            Assert.Equal((_marks, first), (IsMarked(second), PreviousOf(second)));
        });
        Assert.Equal(old, PreviousOf(near));
        Assert.True(IsMarked(first) && IsMarked(second));
        Assert.False(IsMarked(near) || IsMarked(far) || IsMarked(old));
        Assert.Equal(far, Entry());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Where_memory_ends_a_chain_leads_to_what_is_left_out_on_the_device(bool marks)
    {
        _marks = marks;
        NextPage();
        long below = PutLeftOut(0);
        NextPage();
        long head = PutLeftOut(below);
        NextPage();
        long near = Put(Neighbor, head), other = Put(Neighbor, below);
        NextPage();
        Recover(headPage: 2, near, () => Assert.Equal((below, below), (PreviousOf(near), PreviousOf(other))));
        Assert.Equal(head, _log.Log.HeadAddress);
        Assert.Equal((below, below, near), (PreviousOf(near), PreviousOf(other), Entry()));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_page_with_something_to_leave_out_is_settled_from_its_start(bool marks)
    {
        _marks = marks;
        long old = Put(Neighbor, 0), first = PutLeftOut(old);
        NextPage();
        long before = Put(Neighbor, first), second = PutLeftOut(before), behind = Put(Neighbor, first);
        NextPage();
        long near = Put(Neighbor, second);
        NextPage();
        Recover(headPage: 0, near, () =>
        {
            Assert.Equal(before, PreviousOf(near)); // a page above that one, and before it
            Assert.Equal(first, PreviousOf(behind));
        });
        Assert.Equal((before, old, old), (PreviousOf(near), PreviousOf(before), PreviousOf(behind)));
        Assert.True(IsMarked(second));
    }

    [Theory]
    [InlineData(false, 0, true)]
    [InlineData(false, 0, false)]
    [InlineData(false, 1, true)] // the older record is on the device
    [InlineData(true, 0, true)]
    [InlineData(true, 0, false)]
    [InlineData(true, 1, true)]
    public void An_entry_never_leads_to_what_is_left_out_of_memory(bool marks, int headPage, bool hasOlder)
    {
        _marks = marks;
        long old = Put(Neighbor, 0);
        NextPage();
        long leftOut = PutLeftOut(hasOlder ? old : 0);
        NextPage();
        NextPage();
        Recover(headPage, leftOut, () => Assert.Equal(_marks, IsMarked(leftOut)));
        Assert.Equal(hasOlder ? old : 0, Entry());
        Assert.True(IsMarked(leftOut));
    }

    [Fact]
    public void A_split_leads_an_entry_to_what_is_left_out_of_the_device_and_more_memory_to_what_counts()
    {
        long old = Put(Neighbor, 0);
        NextPage();
        long leftOut = PutLeftOut(old);
        NextPage();
        long near = Put(Neighbor, leftOut);
        NextPage();
        NextPage();
        Recover(headPage: 2, near, static () => { });
        Split();
        Assert.Equal(leftOut, Entry());
        Recover(headPage: 0, leftOut, static () => { }, buckets: 2);
        Assert.Equal(old, Entry());
    }

    private static ulong HashOf(long key) => KeyHash.Of((ulong)key, PumpedLog.Seed);

    private long Put(long key, long previous) => _log.Append(key, 8, previous);

    private long PutLeftOut(long previous) =>
        _log.Append(Key, 8, previous, version: 2, _marks ? RecordHeader.Invalid : 0);

    private long PutJoin(long left, long right) => _log.AppendMerge(left, right, 0, 2);

    // Fills the page with records, up to its end or to where more records end with it.
    private void NextPage(int leaving = 0)
    {
        const int Most = PageBytes / 2;
        long tail = _log.Log.TailAddress, end = (tail / PageBytes * PageBytes) + PageBytes - leaving;
        for (long size; tail < end; tail += size)
        {
            size = end - tail > Most + RecordBytes ? Most : end - tail;
            Assert.Equal(tail, _log.Append(0, (int)size - 24));
        }
    }

    // Recovers a commit of the whole log, from a checkpoint of the index that has one entry.
    private void Recover(int headPage, long entry, Action beforeIndex, int buckets = 1)
    {
        long end = _log.FlushAll();
        _index?.Dispose();
        _log.Dispose();
        _log = new PumpedLog(_device, (int)(end >> PumpedLog.PageBits) + 2 - headPage);
        _index = new HashIndex(_log.Epochs, buckets);
        DiscardedRange[] discarded =
            _marks ? [] : [new DiscardedRange(PagedLog.FirstAddress, end, RecordHeader.CodeOf(2))];
        _log.Storage.Restore([new Incarnation(0, 1), new Incarnation(end, 2)], discarded);
        var commit = new CommittedLog
        {
            BeginAddress = PagedLog.FirstAddress,
            FlushedUntilAddress = end,
            StartAddress = end,
            EndAddress = end,
            Incarnations = _log.Storage.Incarnations,
            Discarded = discarded,
        };
        var recovery = new LogRecovery(
            _log.Epochs, _index, _log.Log, _log.Storage, PumpedLog.Seed, version: 3, commit,
            new IndexReference("", 1, 1, end, end), IndexReplay.OfOnlyTier);
        void AwaitIndex()
        {
            beforeIndex();
            Assert.True(_index.TryInsert(BucketOfKey(), HashBits.TagOf(HashOf(Key)), entry));
        }

        _ = recovery.Run(_files, 5, 100_000, AwaitIndex, null, default);
    }

    private void Split()
    {
        EpochSlot* slot = _log.Epochs.Acquire("the split");
        Assert.True(_index!.TryStart(ResizeKind.Split, _log.Log, static () => { }));
        _index.DriveResize(slot, static () => true);
        _log.Epochs.Release(slot);
    }

    private HashBucket* BucketOfKey()
    {
        Assert.True(_index!.TryLocate(HashOf(Key), out BucketRef bucket));
        return bucket.Bucket;
    }

    private long Entry()
    {
        ulong* slot = HashIndex.Find(BucketOfKey(), HashBits.TagOf(HashOf(Key)), out ulong word);
        return slot == null ? 0 : HashIndex.AddressOf(word);
    }

    private ulong HeaderOf(long address) => RecordHeader.Read(_log.Log.Pointer(address));

    private long PreviousOf(long address) => RecordHeader.Previous(HeaderOf(address));

    private bool IsMarked(long address) => (HeaderOf(address) & RecordHeader.Invalid) != 0;
}
