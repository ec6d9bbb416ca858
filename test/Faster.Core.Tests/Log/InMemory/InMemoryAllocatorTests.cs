using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log.InMemory;
using Faster.Log.Records;
using Faster.Tests.Faults;

namespace Faster.Tests.Log.InMemory;

public sealed unsafe class InMemoryAllocatorTests : IDisposable
{
    private const int Limit = 256 << 10, Usable = Limit / 65 * 64; // the map takes the rest
    private readonly EpochTable _epochs = new();
    private readonly InMemoryAllocator _log;
    private readonly FreeLists _lists = new();

    public InMemoryAllocatorTests() =>
        _log = new InMemoryAllocator(_epochs, new RecordSchema(8, 8, 0, "", ""), default, 1 << 20, Limit);

    public void Dispose()
    {
        _log.Dispose();
    }

    [Fact]
    public void Records_are_aligned_zero_and_apart()
    {
        var taken = new List<(long Address, int Size)>();
        foreach (int size in new[] { 24, 32, 1024, 1032, 5000, 24, 70_000 })
        {
            Assert.True(_log.TryAllocate(_lists, size, out long address));
            Assert.Equal(0, address % 8);
            Assert.True(new ReadOnlySpan<byte>((byte*)address, size).IndexOfAnyExcept((byte)0) < 0);
            new Span<byte>((byte*)address, size).Fill(255);
            taken.Add((address, size));
        }

        taken.Sort();
        for (int i = 1; i < taken.Count; i++) Assert.True(taken[i].Address >= taken[i - 1].Address + taken[i - 1].Size);
    }

    [Fact]
    public void A_freed_record_is_used_again_zeroed_and_only_when_its_epoch_is_safe()
    {
        EpochSlot* reader = _epochs.Acquire("reader");
        Assert.True(_log.TryAllocate(_lists, 24, out long first));
        *(long*)first = -1;
        _epochs.Enter(reader);
        _log.Free(_lists, first, 24, everLinked: true);
        _epochs.Bump(static () => { });
        Assert.True(_log.TryAllocate(_lists, 24, out long second));
        Assert.NotEqual(first, second);
        _epochs.Leave(reader);
        Assert.True(_log.TryAllocate(_lists, 24, out long third));
        Assert.Equal((first, 0), (third, *(long*)third));
        _epochs.Release(reader);
    }

    [Fact]
    public void A_record_that_was_never_linked_is_used_again_at_once()
    {
        Assert.True(_log.TryAllocate(_lists, 40, out long first));
        _log.Free(_lists, first, 40, everLinked: false);
        Assert.True(_log.TryAllocate(_lists, 40, out long second));
        Assert.Equal(first, second);
    }

    [Fact]
    public void Churn_does_not_grow_the_arena()
    {
        var live = new Queue<(long Address, int Size)>();
        var random = new Random(4);
        for (int i = 0; i < 40_000; i++)
        {
            int size = 24 + (8 * random.Next(8));
            long address;
            while (!_log.TryAllocate(_lists, size, out address)) _log.WaitForSpace();
            live.Enqueue((address, size));
            if (live.Count <= 300) continue;
            (long old, int oldSize) = live.Dequeue();
            _log.Free(_lists, old, oldSize, everLinked: true);
        }

        Assert.InRange(_log.BytesInMemory, 300 * 24, 64 << 10); // 40,000 records would fill thirty times as much
    }

    [Fact]
    public void A_session_that_stays_in_its_epoch_holds_no_other_up_while_there_is_memory()
    {
        using var log = new InMemoryAllocator(_epochs, new RecordSchema(8, 8, 0, "", ""), default, 16 << 20, 16 << 20);
        EpochSlot* reader = _epochs.Acquire("reader");
        _epochs.Enter(reader);
        const int Size = 1024;
        int waits = 0;
        long start = Environment.TickCount64;
        for (int i = 0; i < 4 << 10; i++) // 4 MiB in limbo
        {
            long address;
            for (; !log.TryAllocate(_lists, Size, out address); log.WaitForSpace()) waits++;
            log.Free(_lists, address, Size, everLinked: true);
        }

        _epochs.Leave(reader);
        _epochs.Release(reader);
        long taken = log.BytesInMemory;
        Assert.InRange(taken, 4 << 20, 5 << 20);
        Assert.True(waits > 0); // once: to wait for each piece would take seconds
        Assert.InRange(_lists.WaitsSince, start, start + 30_000);
        log.WaitForSpace();
        var all = new List<long>();
        for (int i = 0; i < 4000; i++)
        {
            Assert.True(log.TryAllocate(_lists, Size, out long address));
            all.Add(address);
        }

        Assert.Equal(taken, log.BytesInMemory);
        foreach (long address in all) log.Free(_lists, address, Size, everLinked: true);
        log.WaitForSpace();
        log.Walk(static (_, _) => { });
        Assert.Equal(0, log.BytesInMemory); // all is free: the arena is as new
    }

    [Fact]
    public void A_full_arena_says_so_and_a_deletion_frees_space()
    {
        var taken = new List<long>();
        var full = Assert.Throws<LimitExceededException>(() => Fill(taken));
        Assert.Contains("MemoryBudget", full.Message, StringComparison.Ordinal);
        Assert.Equal(Usable / 1024, taken.Count);
        _log.Free(_lists, taken[0], 1024, everLinked: true);

        // The space is in limbo: the allocation must be retried, and waiting makes the epoch safe.
        while (!_log.TryAllocate(_lists, 1024, out _)) _log.WaitForSpace();
    }

    [Fact]
    public void Memory_of_an_ended_session_is_used_by_others()
    {
        var taken = new List<long>();
        var ended = new FreeLists();
        Assert.True(_log.TryAllocate(ended, 1024, out long freed));
        Assert.True(_log.TryAllocate(ended, 1024, out long kept));
        _log.Free(ended, freed, 1024, everLinked: true);
        _log.Free(ended, kept, 1024, everLinked: false);
        _log.Adopt(ended);
        Assert.Throws<LimitExceededException>(() => Fill(taken));
        Assert.Contains(freed, taken);
        Assert.Contains(kept, taken);
        Assert.Equal(Usable / 1024, taken.Count); // the ended session's piece is among it
    }

    [Fact]
    public void Small_and_large_records_in_turns_use_all_of_the_memory()
    {
        long used = 0;
        try
        {
            for (int i = 0; ; i++)
            {
                int size = i % 2 == 0 ? 40 : 20 << 10; // does not fit into what is left of most pieces
                while (!_log.TryAllocate(_lists, size, out _)) _log.WaitForSpace();
                used += size;
            }
        }
        catch (LimitExceededException)
        {
            Assert.True(used > Limit * 3 / 4, $"{used} of {Limit}"); // the largest that does not fit is left
        }

        // What is left is good for small ones.
        for (; used < Limit * 97 / 100; used += 40)
            while (!_log.TryAllocate(_lists, 40, out _)) _log.WaitForSpace();
    }

    [Fact]
    public void Memory_that_one_session_frees_is_used_by_another()
    {
        var freeing = new FreeLists();
        var live = new Queue<long>();
        var seen = new HashSet<long>();
        for (int i = 0; i < 100_000; i++)
        {
            long address;
            while (!_log.TryAllocate(_lists, 104, out address)) _log.WaitForSpace();
            live.Enqueue(address);
            Assert.True(seen.Add(address), "It is in use.");
            if (live.Count <= 1_000) continue;
            long old = live.Dequeue();
            seen.Remove(old);
            _log.Free(freeing, old, 104, everLinked: true);
        }
    }

    [Fact]
    public void A_deletion_by_another_session_frees_space_in_a_full_arena()
    {
        var taken = new List<long>();
        Assert.Throws<LimitExceededException>(() => Fill(taken));
        var other = new FreeLists();
        for (int i = 0; i < 3; i++)
        {
            _log.Free(other, taken[i], 1024, everLinked: true);
            while (!_log.TryAllocate(_lists, 1024, out _)) _log.WaitForSpace();
        }
    }

    [Theory]
    [InlineData(64 << 20, 4_000)]
    [InlineData(256 << 10, 12)] // memory is short
    public Task No_block_is_in_two_hands(int arena, int words) => Guard.RunAsync(() =>
    {
        var epochs = new EpochTable();
        using var log = new InMemoryAllocator(epochs, new RecordSchema(8, 8, 0, "", ""), default, arena, arena);
        var passed = new ConcurrentQueue<(long Address, int Size)>();
        Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, number =>
        {
            var lists = new FreeLists();
            var random = new Random(number);
            for (int i = 0; i < TestBudget.Times(20_000); i++)
            {
                int size = 24 + (8 * random.Next(random.Next(16) == 0 ? words : 12));
                if (passed.Count < 2_000 && TryAllocate(log, lists, size, out long address))
                {
                    new Span<long>((void*)address, size / 8).Fill(address ^ size);
                    passed.Enqueue((address, size));
                }

                // Mostly another thread's.
                if (passed.Count < 300 || !passed.TryDequeue(out (long Address, int Size) old)) continue;
                var held = new Span<long>((void*)old.Address, old.Size / 8);
                if (held.ContainsAnyExcept(old.Address ^ old.Size)) throw new InvalidDataException("It was used.");
                log.Free(lists, old.Address, old.Size, everLinked: i % 8 != 0);
            }

            log.Adopt(lists);
        });

        // What is not in use is free, and joined.
        (long free, long start) = (0, passed.Min(one => one.Address));
        log.WaitForSpace();
        log.Walk((address, size) => (free, start) = (free + size, Math.Min(start, address)));
        long end = passed.Max(one => one.Address + BlockSize(one.Size));
        Assert.Equal(end - start, free + passed.Sum(one => BlockSize(one.Size)));
    });

    [Theory]
    [InlineData(24, 128)]
    [InlineData(1024, 17)] // more bytes than a session keeps
    public void Memory_that_a_session_frees_is_passed_on_in_batches(int size, int batch)
    {
        long[] taken = [.. Enumerable.Range(0, 2 * batch).Select(_ => Take(size))];
        int sizeClass = SizeClasses.Holding(size);
        long epoch = _epochs.Current;
        for (int i = 0; i < batch; i++)
        {
            Assert.Equal((i, epoch), (_lists.InLimbo, _epochs.Current));
            _log.Free(_lists, taken[i], size, everLinked: true);
        }

        Assert.Equal((0, epoch + 1), (_lists.InLimbo, _epochs.Current)); // one barrier a batch
        for (int i = 0; i < batch; i++)
        {
            Assert.Equal(i, _lists.Count(sizeClass));
            _log.Free(_lists, taken[batch + i], size, everLinked: false);
        }

        Assert.Equal((0, epoch + 1), (_lists.Count(sizeClass), _epochs.Current));
        var other = new FreeLists();
        long bytes = _log.BytesInMemory;
        for (int i = 0; i < batch; i++) Assert.True(_log.TryAllocate(other, size, out _));
        Assert.Equal(bytes, _log.BytesInMemory);
    }

    [Fact]
    public void Larger_blocks_are_divided_and_none_is_lost()
    {
        var ended = new FreeLists();
        long[] blocks = new long[3];
        for (int i = 0; i < 3; i++) Assert.True(_log.TryAllocate(ended, 1024, out blocks[i]));
        foreach (long block in blocks) _log.Free(ended, block, 1024, everLinked: false);
        _log.Adopt(ended);
        var taken = new List<long>();
        Assert.Throws<LimitExceededException>(() => Fill(taken, 512));
        Assert.Equal(Usable / 512, taken.Distinct().Count());
    }

    [Fact]
    public void Chains_are_parted_in_their_order_and_joined_end_to_end()
    {
        var rule = new SplitRule(2, LeftBucket: 0);
        List<long> left = [], right = [];
        long head = 0;
        for (long key = 0; key < 20; key++)
        {
            long address = Take(32);
            *(long*)(address + RecordHeader.Size) = key;
            RecordHeader.Write((byte*)address, RecordHeader.Make(head));
            (rule.IsRight(_log.Layout.Hash((byte*)address, default)) ? right : left).Insert(0, address);
            head = address;
        }

        Assert.All([left, right], side => Assert.True(side.Count > 1, "All keys are of one side."));
        _log.Split(head, rule, out long one, out long other);
        Assert.Equal([left, right], [Chain(one), Chain(other)]);
        _log.Split(one, rule, out one, out long none);
        Assert.Equal([left, []], [Chain(one), Chain(none)]);
        _log.Split(other, rule, out none, out other);
        Assert.Equal([[], right], [Chain(none), Chain(other)]);

        Assert.True(_log.TryJoin(0, other, 0, 2, out head));
        Assert.Equal(right, Chain(head));
        Assert.True(_log.TryJoin(one, 0, 0, 2, out head));
        Assert.Equal(left, Chain(head));
        Assert.True(_log.TryJoin(one, other, 0, 2, out head));
        Assert.Equal([.. left, .. right], Chain(head));
    }

    [Fact]
    public void A_lower_limit_holds_from_then_on()
    {
        Assert.True(_log.TryAllocate(_lists, 24, out _));
        _log.SetMemory(_log.BytesInMemory - 8);
        Assert.False(_log.IsWithinMemory);
        Assert.Throws<LimitExceededException>(() => Fill([]));
        _log.SetMemory(Limit);
        Assert.True(_log.IsWithinMemory);
    }

    [Fact]
    public void A_record_above_the_largest_is_refused()
    {
        int size = _log.LargestRecord + 8;
        var error = Assert.Throws<LimitExceededException>(() => _log.TryAllocate(_lists, size, out _));
        Assert.Contains("largest", error.Message, StringComparison.Ordinal);
    }

    private static bool TryAllocate(InMemoryAllocator log, FreeLists lists, int size, out long address)
    {
        try
        {
            while (!log.TryAllocate(lists, size, out address)) log.WaitForSpace();
            return true;
        }
        catch (LimitExceededException)
        {
            address = 0;
            return false;
        }
    }

    private static long BlockSize(int size) => SizeClasses.BytesOf(SizeClasses.Holding(size));

    private static List<long> Chain(long head)
    {
        List<long> chain = [];
        for (long address = head; address != 0;)
        {
            chain.Add(address);
            address = RecordHeader.Previous(RecordHeader.Read((byte*)address));
        }

        return chain;
    }

    private long Take(int size)
    {
        Assert.True(_log.TryAllocate(_lists, size, out long address));
        return address;
    }

    private void Fill(List<long> taken, int size = 1024)
    {
        for (;;)
        {
            if (_log.TryAllocate(_lists, size, out long address)) taken.Add(address);
            else _log.WaitForSpace();
        }
    }
}
