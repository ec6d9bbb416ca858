using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Tests.Log;

/// <summary>The life of a page, one step after another: four frames of 4 KiB, flushed by hand.</summary>
public sealed unsafe class PagedLogTests : IDisposable
{
    private const int Half = 2016; // two to a page
    private readonly EpochTable<NoProbe> _epochs = new();
    private readonly FakePageSink<NoProbe> _sink = new(atOnce: false);
    private readonly HybridLog<NoProbe> _log;
    private readonly EpochSlot* _slot;

    public PagedLogTests()
    {
        var shape = new LogShape(new RecordSchema(8, 8, 2000, "", ""), default, 12, ResidentPages: 8, 0.5);
        _log = new HybridLog<NoProbe>(_epochs, _sink, shape);
        _log.SetMemory(4 << 12);
        _sink.Attach(_log);
        _slot = _epochs.Acquire("session");
    }

    public void Dispose()
    {
        _log.Dispose();
        _epochs.Dispose();
    }

    [Fact]
    public void A_page_becomes_read_only_then_safe_then_flushed_then_evicted()
    {
        FillPages(2);
        Assert.Equal((64, 0), (_log.ReadOnlyAddress, _sink.Pages.Count));
        _epochs.Enter(_slot);
        Assert.True(_log.TryAllocate(null, Half, out _)); // page 2 opens; two of four pages are mutable
        Assert.Equal((4096, 64), (_log.ReadOnlyAddress, _log.SafeReadOnlyAddress));
        Assert.Empty(_sink.Pages);
        _epochs.Leave(_slot);
        Assert.Equal(4096, _log.SafeReadOnlyAddress);
        Assert.Equal([0L], _sink.Pages);
        Assert.Equal((64, 0), (_log.HeadAddress, _log.FlushedUntilAddress));
        Assert.True(_sink.TryFinishOne());
        Assert.Equal((64, 4096), (_log.HeadAddress, _log.FlushedUntilAddress));

        Assert.True(_log.TryAllocate(null, Half, out _));
        Assert.True(_log.TryAllocate(null, Half, out _)); // page 3: the last frame, and page 0 is in its way
        Assert.Equal(4096, _log.HeadAddress);
    }

    [Fact]
    public void Without_a_free_frame_an_allocation_fails_and_succeeds_once_the_flush_is_done()
    {
        FillPages(4);
        Assert.False(_log.TryAllocate(null, Half, out _));
        int resumed = 0;
        _log.Park(() => resumed++);
        Assert.False(_log.TryAllocate(null, Half, out _));
        Assert.Equal(0, resumed);
        Assert.True(_sink.TryFinishOne());
        Assert.Equal(1, resumed);
        Assert.True(_log.TryAllocate(null, Half, out long address));
        Assert.Equal(4L << 12, address);
        Assert.Equal(0, *(long*)_log.Pointer(address));
    }

    [Fact]
    public void A_frame_is_not_closed_while_somebody_may_look_at_it()
    {
        FillPages(4);
        _epochs.Enter(_slot);
        byte* first = _log.Pointer(64);
        *(long*)first = 7;
        Assert.True(_sink.TryFinishOne());
        Assert.Equal(4096, _log.HeadAddress);
        Assert.False(_log.TryAllocate(null, Half, out _));
        Assert.Equal(7, *(long*)first);
        _epochs.Leave(_slot);
        Assert.True(_log.TryAllocate(null, Half, out _));
        Assert.Equal(0, *(long*)first);
    }

    [Fact]
    public void Flushes_that_come_back_out_of_order_move_the_marker_only_over_what_is_whole()
    {
        FillPages(4);
        _log.FreezeToTail();
        Assert.Equal(3, _sink.Waiting);
        _log.OnFlushed(2);
        _log.OnFlushed(1);
        Assert.Equal((0, 64), (_log.FlushedUntilAddress, _log.HeadAddress));
        _log.OnFlushed(0);
        Assert.Equal(3L << 12, _log.FlushedUntilAddress);
    }

    [Fact]
    public void Freezing_in_the_middle_of_a_page_flushes_it_only_when_it_is_full()
    {
        Assert.True(_log.TryAllocate(null, Half, out _));
        Assert.Equal(64 + Half, _log.FreezeToTail());
        Assert.Equal((64 + Half, 64 + Half), (_log.ReadOnlyAddress, _log.SafeReadOnlyAddress));
        Assert.Empty(_sink.Pages);
        FillPages(3);
        Assert.Equal([0L], _sink.Pages.Take(1));
    }

    [Fact]
    public void More_memory_lets_those_in_who_wait_for_room()
    {
        FillPages(4);
        Assert.False(_log.TryAllocate(null, Half, out _));
        int resumed = 0;
        _log.Park(() => resumed++);
        _log.SetMemory(8 << 12);
        Assert.Equal(1, resumed);
        Assert.True(_log.TryAllocate(null, Half, out _));
    }

    [Fact]
    public void Less_memory_is_in_effect_when_pages_have_left()
    {
        _log.SetMemory(8 << 12);
        FillPages(8);
        _log.SetMemory(4 << 12);
        Assert.False(_log.IsWithinMemory);
        while (_sink.TryFinishOne()) { }
        Assert.True(_log.IsWithinMemory);
        Assert.InRange(_log.BytesInMemory, 1, 4 << 12);
    }

    [Fact]
    public void A_failed_device_is_told_to_those_who_wait()
    {
        FillPages(4);
        _sink.HasFailed = true;
        int resumed = 0;
        _log.Park(() => resumed++);
        Assert.Equal(1, resumed);
        Assert.Throws<StorageException>(_log.WaitForRoom);
    }

    [Fact]
    public void A_record_larger_than_a_page_is_refused_by_name() => Assert.Contains(
        "PageSize",
        Assert.Throws<LimitExceededException>(() => _log.TryAllocate(null, 4096, out _)).Message,
        StringComparison.Ordinal);

    [Fact]
    public void An_append_only_log_has_no_mutable_and_no_fuzzy_region()
    {
        var shape = new LogShape(new RecordSchema(8, 8, 2000, "", ""), default, 12, 4, 0.9);
        var sink = new FakePageSink<NoProbe>(atOnce: true);
        using var log = new AppendOnlyLog<NoProbe>(_epochs, sink, shape);
        sink.Attach(log);
        Assert.Equal((long.MaxValue, long.MaxValue), (log.ReadOnlyAddress, log.SafeReadOnlyAddress));
        for (int i = 0; i < 5; i++) Assert.True(log.TryAllocate(null, Half, out _));
        Assert.Equal([0L, 1L], sink.Pages); // a page is flushed when the tail has left it
        Assert.Equal(long.MaxValue, log.ReadOnlyAddress);
    }

    private void FillPages(int until)
    {
        while (_log.TailAddress + Half <= (long)until << 12) Assert.True(_log.TryAllocate(null, Half, out _));
    }
}
