using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Index.Resizing;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Opening;
using Faster.Tables;
using Faster.Tiers;

namespace Faster.Tests.Tables;

/// <summary>A table of records: what is linked, replaced and taken out is found, its memory used again.</summary>
public sealed unsafe class RecordTableTests : IDisposable
{
    private readonly StoreCore _core;
    private readonly Tier _tier;
    private readonly RecordTable _table;
    private readonly FreeLists _lists = new();
    private readonly EpochSlot* _slot;

    public RecordTableTests()
    {
        var options = new StoreOptions { MemoryBudget = ByteSize.MiB(1), Allocator = RecordAllocatorKind.InMemory };
        var schema = new RecordSchema(8, 8, 0, "key", "bytes");
        MemoryPlan memory = MemoryPlan.For(options, schema);
        var plan = new StorePlan
        {
            Options = options, Plan = memory,
            Metadata = StoreMetadata.New("A", schema, memory.PageBits, options.SegmentSize),
        };
        _core = new StoreCore(this, plan);
        _tier = new Tier(_core, plan);
        _table = new RecordTable(_tier);
        _slot = _core.Epochs.Acquire("test");
    }

    public void Dispose() => _tier.FreeMemory();

    [Fact]
    public void Records_are_linked_replaced_and_taken_out()
    {
        for (long key = 0; key < 1000; key++) Link(key, 8);
        for (long key = 0; key < 1000; key += 2) TakeOut(key, replacement: key % 4 == 0 ? 40 : null);
        for (long key = 0; key < 1000; key++)
        {
            int? expected = key % 2 != 0 ? 8 : key % 4 == 0 ? 40 : null;
            Assert.Equal(expected, LengthOf(key));
        }

        Assert.Equal(750, Walk().Count);
        for (long key = 0; key < 1000; key++)
            if (LengthOf(key) is not null) TakeOut(key, replacement: null);
        Assert.Empty(Walk());
    }

    [Fact]
    public void Memory_of_records_taken_out_is_used_again_and_a_full_table_refuses()
    {
        for (int round = 0; round < 3; round++)
        {
            long last = 0;
            Assert.Throws<LimitExceededException>(() =>
            {
                for (; last < 10_000; last++) Link(last, 1000);
            });
            Assert.InRange(last, 500, 1100);
            Assert.Null(LengthOf(last));
            for (long key = 0; key < last; key++) TakeOut(key, replacement: null);
        }
    }

    [Fact]
    public void A_walk_meets_each_record_once_whatever_the_size_of_the_index_becomes()
    {
        const int Count = 2_000;
        for (long key = 0; key < Count; key++) Link(key, 8);
        for (int resizeAt = 0; resizeAt < 8; resizeAt++)
        {
            long before = _tier.Index.BucketCount;
            ResizeKind kind = resizeAt % 2 == 0 ? ResizeKind.Split : ResizeKind.Join;
            List<long> met = Walk(resizeAt * 30, () => Resize(kind));
            Assert.NotEqual(before, _tier.Index.BucketCount);
            Assert.Equal(Enumerable.Range(0, Count).Select(static key => (long)key), met.Order());
        }
    }

    [Fact]
    public void A_word_lies_before_each_record_and_is_exclusive_until_its_maker_lets_it_go()
    {
        byte* record = Link(1, 8, releases: false);
        Assert.Equal(LockWord.Exclusive, *RecordTable.WordOf(record));
        Assert.Equal(0, (long)record % 8);
        LockWord.Release(RecordTable.WordOf(record), isExclusive: true);
        TakeOut(1, replacement: null);
        Assert.False(LockWord.IsReadable(*RecordTable.WordOf(record)));
    }

    [Fact]
    public void Words_of_absent_keys_are_in_the_order_of_the_hashes_and_within_a_thousandth_of_the_budget()
    {
        foreach (long budget in new[] { 0, 1 << 20, 64 << 20, 1L << 40 })
        {
            using var words = new AbsentKeyLocks(budget);
            long bytes = AbsentKeyLocks.BytesFor(budget);
            Assert.InRange(bytes, 512, Math.Max(512, Math.Min(budget / 128, 8 << 20)));
            ulong* first = words.WordOf(0);
            Assert.Equal(bytes, (byte*)(words.WordOf(ulong.MaxValue) + 1) - (byte*)first);
            Assert.True(words.WordOf(1UL << 63) == first + (bytes / 16));
            Assert.Equal(0UL, *words.WordOf(ulong.MaxValue));
        }
    }

    private byte* Link(long key, int length, bool releases = true)
    {
        byte* record;
        while (!_table.TryMake(_lists, new UnmanagedKey<long>(key), length, length, 0, out record))
            _tier.Log.WaitForSpace();
        _core.Epochs.Enter(_slot);
        EntryRef entry = Locate(key);
        _table.Link(record, ref entry);
        _table.Unpin(entry);
        _core.Epochs.Leave(_slot);
        if (releases) LockWord.Release(RecordTable.WordOf(record), isExclusive: true);
        return record;
    }

    private void TakeOut(long key, int? replacement)
    {
        byte* made = null;
        int length = replacement ?? 0;
        while (replacement is not null
            && !_table.TryMake(_lists, new UnmanagedKey<long>(key), length, length, 0, out made))
            _tier.Log.WaitForSpace();
        _core.Epochs.Enter(_slot);
        EntryRef entry = Locate(key);
        byte* record = _table.Find(new UnmanagedKey<long>(key), ref entry);
        Assert.Equal(Locking.Taken, LockWord.TryTake(RecordTable.WordOf(record), isExclusive: true));
        _table.TakeOut(_lists, record, made, ref entry);
        if (made != null) LockWord.Release(RecordTable.WordOf(made), isExclusive: true);
        _table.Unpin(entry);
        _core.Epochs.Leave(_slot);
    }

    private int? LengthOf(long key)
    {
        _core.Epochs.Enter(_slot);
        EntryRef entry = Locate(key);
        byte* record = _table.Find(new UnmanagedKey<long>(key), ref entry);
        int? length = record == null ? null : ValueLayout.Bytes(RecordTable.ValueSlotOf(record, 8), 0).Length;
        _table.Unpin(entry);
        _core.Epochs.Leave(_slot);
        return length;
    }

    private EntryRef Locate(long key)
    {
        Assert.Equal(Outcome.Ok, _table.Locate(new UnmanagedKey<long>(key).Hash(_tier.Seed), out EntryRef entry));
        return entry;
    }

    private List<long> Walk(int resizeAt = -1, Action? resize = null)
    {
        var met = new List<long>();
        ulong from = 0;
        int buckets = 0;
        do
        {
            if (buckets++ == resizeAt) resize?.Invoke();
            _core.Epochs.Enter(_slot);
            Assert.Equal(Outcome.Ok, BucketWalk.TryBegin(_table, from, out BucketWalk walk));
            while (walk.MoveNext()) met.Add(BitConverter.ToInt64(_table.Layout.Key(walk.Record)));
            from = walk.After;
            walk.End();
            _core.Epochs.Leave(_slot);
        }
        while (from != 0);
        return met;
    }

    private void Resize(ResizeKind kind)
    {
        _tier.Index.ByteLimit = long.MaxValue;
        Assert.True(_tier.Index.TryStart(kind, _tier.Memory.Chains, static () => { }));
        Assert.True(_tier.Index.DriveResize(_slot, static () => true));
    }
}
