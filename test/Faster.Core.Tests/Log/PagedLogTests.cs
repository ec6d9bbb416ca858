using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Log.Records;

namespace Faster.Tests.Log;

/// <summary>The life of a page, one step after another: four frames of 4 KiB, flushed by hand.</summary>
public sealed unsafe class PagedLogTests : IDisposable
{
    private const int Half = 2016; // two to a page
    private readonly EpochTable _epochs = new();
    private readonly FakePageSink _sink = new(atOnce: false);
    private readonly HybridLog _log;
    private readonly EpochSlot* _slot;

    public PagedLogTests()
    {
        var shape = new LogShape(new RecordSchema(8, 8, 2000, "", ""), default, 12, ResidentPages: 8, 0.5);
        _log = new HybridLog(_epochs, _sink, shape);
        _log.SetMemory(4 << 12);
        _sink.Attach(_log);
        _slot = _epochs.Acquire("session");
    }

    public void Dispose()
    {
        _log.Dispose();
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
    public void A_frame_is_not_closed_while_a_session_may_read_it()
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
    public void Freezing_in_the_middle_of_a_page_flushes_up_to_a_boundary_and_no_byte_twice()
    {
        Assert.True(_log.TryAllocate(null, Half, out long first));
        *(long*)_log.Pointer(first) = 1;
        Assert.Equal(5 * 504, _log.ShiftReadOnlyToTail()); // 64 + 2016, and the next multiple of 504
        Assert.Equal((5 * 504, 5 * 504), (_log.ReadOnlyAddress, _log.SafeReadOnlyAddress));
        Assert.True(_sink.TryFinishOne());
        Assert.Equal((5 * 504, 64), (_log.FlushedUntilAddress, _log.HeadAddress));
        *(long*)_log.Pointer(first) = 2; // not on the device any more

        Assert.Equal(5 * 504, _log.ShiftReadOnlyToTail());
        Assert.True(_log.TryAllocate(null, 504, out long second));
        Assert.Equal(5 * 504, second);
        FillPages(4);
        while (_sink.TryFinishOne()) { }
        Assert.Equal(2 << 12, _log.FlushedUntilAddress); // two of four pages are mutable
        Assert.Equal(1, BitConverter.ToInt64(_sink.Read(first)));
    }

    [Theory]
    [InlineData(8, 504)]       // the first block is begun
    [InlineData(440, 504)]     // full to its last byte
    [InlineData(448, 1008)]
    [InlineData(3968, 4032)]   // the last boundary of the page
    [InlineData(3976, 4096)]   // beyond it there is only the page's end
    [InlineData(4024, 4096)]
    [InlineData(4032, 4096)]   // full
    public void The_tail_is_padded_to_a_boundary_or_the_pages_end(int size, long padded)
    {
        Assert.True(_log.TryAllocate(null, size, out _));
        Assert.Equal(padded, _log.PadTail());
        Assert.Equal((padded, padded), (_log.TailAddress, _log.PadTail()));
        Assert.Equal(64, _log.ReadOnlyAddress);
        Assert.True(_log.TryAllocate(null, 24, out long next));
        Assert.Equal(padded, next);
        Assert.Equal(0, *(long*)_log.Pointer(next));
    }

    [Fact]
    public void A_page_that_was_found_full_is_padded_to_its_end()
    {
        FillPages(4);
        Assert.True(_log.TryAllocate(null, 64, out _));
        Assert.False(_log.TryAllocate(null, 8, out _));
        Assert.Equal(4 << 12, _log.ShiftReadOnlyToTail());
        while (_sink.TryFinishOne()) { }
        Assert.Equal(4 << 12, _log.FlushedUntilAddress);
        Assert.True(_log.TryAllocate(null, Half, out long next));
        Assert.Equal(4 << 12, next);
    }

    [Fact]
    public void Frozen_and_flushed_parts_of_a_page_do_not_let_it_go()
    {
        FillPages(2);
        Assert.True(_log.TryAllocate(null, Half, out _));
        Assert.Equal((2 << 12) + Half, _log.ShiftReadOnlyToTail());
        while (_sink.TryFinishOne()) { }
        Assert.Equal((2 << 12) + Half, _log.FlushedUntilAddress);
        FillPages(6);
        Assert.False(_log.TryAllocate(null, Half, out _));
        Assert.Equal(2 << 12, _log.HeadAddress);
        Assert.True(_sink.TryFinishOne()); // the rest of page 2
        Assert.True(_log.TryAllocate(null, Half, out _));
        Assert.Equal(3 << 12, _log.HeadAddress);
    }

    [Fact]
    public void More_memory_resumes_operations_that_wait_for_space()
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
    public void A_failed_device_fails_the_operations_that_wait()
    {
        FillPages(4);
        _sink.HasFailed = true;
        int resumed = 0;
        _log.Park(() => resumed++);
        Assert.Equal(1, resumed);
        Assert.Throws<StorageException>(_log.WaitForSpace);
    }

    [Fact]
    public void A_record_larger_than_a_page_is_refused_by_name() => Assert.Contains(
        "PageSize",
        Assert.Throws<LimitExceededException>(() => _log.TryAllocate(null, 4096, out _)).Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_truncated_part_is_frozen_first_and_can_not_be_pinned_any_more()
    {
        FillPages(2);
        Assert.Throws<ArgumentOutOfRangeException>(() => _log.RaiseBegin(4096));
        Assert.Equal(4096 + (2 * Half), _log.ShiftReadOnlyToTail());
        using LogPins.Pin held = _log.TryPin(64)!;
        Assert.True(_log.RaiseBegin(4096));
        Assert.False(_log.RaiseBegin(4096));
        Assert.Equal((4096, 64), (_log.BeginAddress, _log.Pins.LowestPinned));
        Assert.Null(_log.TryPin(4095));
        held.Dispose();
        Assert.Equal(long.MaxValue, _log.Pins.LowestPinned);
        using LogPins.Pin above = _log.TryPin(4096)!;
        Assert.Equal(4096, _log.Pins.LowestPinned);
    }

    [Fact]
    public void A_freed_record_has_no_owner()
    {
        Assert.True(_log.TryAllocate(null, 24, out long address));
        byte* record = _log.Pointer(address);
        RecordHeader.Write(record, RecordHeader.Make(0, RecordHeader.Large));
        _log.Free(null, address, 24, everLinked: false);
        Assert.Equal(RecordHeader.Invalid, RecordHeader.Read(record) & (RecordHeader.Invalid | RecordHeader.Large));
    }

    [Fact]
    public void An_append_only_log_has_no_mutable_and_no_fuzzy_region()
    {
        var shape = new LogShape(new RecordSchema(8, 8, 2000, "", ""), default, 12, 4, 0.9);
        var sink = new FakePageSink(atOnce: true);
        using var log = new AppendOnlyLog(_epochs, sink, shape);
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
