using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Memory;
using Faster.Operations;

namespace Faster.Tests.Epochs;

/// <summary>The epoch table on one thread: when actions run, how often, and what becomes of failing ones.</summary>
public sealed unsafe class EpochTableTests
{
    private readonly List<Exception> _failures = [];
    private readonly EpochTable _table;

    public EpochTableTests() => _table = new EpochTable(_failures.Add);

    [Fact]
    public void Without_sessions_an_action_runs_at_once()
    {
        int runs = 0;
        _table.Bump(() => runs++);
        Assert.Equal((1, 0), (runs, _table.PendingActions));
        Assert.Equal((2, 1), (_table.Current, _table.Safe));
    }

    [Fact]
    public void An_action_waits_for_the_last_session_that_was_inside_and_for_no_later_one()
    {
        EpochSlot* early = _table.Acquire("early"), second = _table.Acquire("second"), late = _table.Acquire("late");
        int runs = 0;
        _table.Enter(early);
        _table.Enter(second);
        _table.Bump(() => runs++);
        _table.Enter(late);
        _table.Leave(early);
        _table.Drain();
        Assert.Equal((0, 1), (runs, _table.PendingActions));
        _table.Leave(second);
        Assert.Equal((1, 0), (runs, _table.PendingActions));
        _table.Leave(late);
        Assert.Equal(1, runs);
    }

    [Fact]
    public void Refreshing_lets_an_action_run_and_keeps_later_ones_waiting()
    {
        EpochSlot* slot = _table.Acquire("s");
        int first = 0, second = 0;
        _table.Enter(slot);
        _table.Bump(() => first++);
        _table.Refresh(slot);
        Assert.Equal(1, first);
        _table.Bump(() => second++);
        _table.Drain();
        Assert.Equal(0, second);
        _table.Leave(slot);
        Assert.Equal((1, 1), (first, second));
    }

    [Fact]
    public void A_bump_inside_an_epoch_returns_and_its_action_runs_on_leaving()
    {
        EpochSlot* slot = _table.Acquire("s");
        int runs = 0;
        _table.Enter(slot);
        _table.Bump(() => runs++);
        Assert.Equal(0, runs);
        _table.Leave(slot);
        Assert.Equal(1, runs);
    }

    [Fact]
    public void A_bump_inside_an_action_runs_after_it_without_nesting()
    {
        int depth = 0, deepest = 0, left = 10_000;
        void Again()
        {
            deepest = Math.Max(deepest, ++depth);
            if (--left > 0) _table.Bump(Again);
            depth--;
        }

        _table.Bump(Again);
        Assert.Equal((0, 1, 0), (left, deepest, _table.PendingActions));
    }

    [Fact]
    public void An_action_may_enter_and_leave_and_release_what_waits_for_that()
    {
        EpochSlot* outer = _table.Acquire("outer"), inner = _table.Acquire("inner");
        int runs = 0;
        _table.Enter(inner);
        _table.Bump(() => runs += 10);
        _table.Refresh(inner);
        _table.Enter(outer);
        _table.Bump(() => { });
        _table.Refresh(outer);
        _table.Leave(outer);
        _table.Bump(() => runs++);
        Assert.Equal(10, runs);
        _table.Leave(inner);
        _table.Bump(() =>
        {
            _table.Enter(inner);
            _table.Bump(() => runs++);
            _table.Leave(inner);
        });
        Assert.Equal((12, 0), (runs, _table.PendingActions));
    }

    [Fact]
    public void A_throwing_action_is_reported_and_stops_no_other()
    {
        EpochSlot* slot = _table.Acquire("s");
        int runs = 0;
        _table.Enter(slot);
        _table.Bump(() => runs++);
        _table.Bump(() => throw new FormatException("seeded"));
        _table.Bump(() => runs++);
        _table.Leave(slot);
        _table.Drain();
        Assert.Equal((2, 0), (runs, _table.PendingActions));
        Assert.IsType<FormatException>(Assert.Single(_failures));
    }

    [Fact]
    public void A_conditional_action_runs_once_when_its_condition_holds_and_its_epoch_is_safe()
    {
        EpochSlot* slot = _table.Acquire("s"), other = _table.Acquire("other");
        bool holds = false;
        int runs = 0;
        _table.Enter(slot);
        _table.Bump(() => holds, () => runs++);
        _table.Leave(slot);
        Assert.Equal((0, 1), (runs, _table.PendingActions));
        _table.Enter(other);
        holds = true;
        _table.Leave(other);
        Assert.Equal((1, 0), (runs, _table.PendingActions));

        _table.Enter(slot);
        _table.Bump(() => true, () => runs++);
        Assert.Equal(1, runs);
        _table.Leave(slot);
        _table.Drain();
        Assert.Equal((2, 0), (runs, _table.PendingActions));
    }

    [Fact]
    public void A_condition_made_true_by_no_session_is_seen_by_the_next_drain()
    {
        bool holds = false;
        int runs = 0;
        _table.Bump(() => holds, () => runs++);
        holds = true;
        Assert.Equal(0, runs);
        _table.Drain();
        Assert.Equal(1, runs);
    }

    [Fact]
    public void A_throwing_condition_is_reported_once_and_drops_its_action()
    {
        int runs = 0;
        _table.Bump(() => throw new FormatException("seeded"), () => runs++);
        _table.Drain();
        Assert.Equal((0, 0), (runs, _table.PendingActions));
        Assert.IsType<FormatException>(Assert.Single(_failures));
    }

    [Fact]
    public void Hundreds_of_slots_are_lines_of_their_own_that_are_reused_and_all_counted()
    {
        var slots = new HashSet<nint>();
        for (int i = 0; i < 300; i++)
        {
            EpochSlot* slot = _table.Acquire($"s{i}");
            Assert.Equal(0, (nint)slot % CacheLine.Bytes);
            Assert.True(slots.Add((nint)slot));
        }

        int runs = 0;
        foreach (nint slot in slots) _table.Enter((EpochSlot*)slot);
        _table.Bump(() => runs++);
        foreach (nint slot in slots)
        {
            Assert.Equal(0, runs);
            _table.Leave((EpochSlot*)slot);
        }

        Assert.Equal(1, runs);
        foreach (nint slot in slots) _table.Release((EpochSlot*)slot);
        for (int i = 0; i < 300; i++) Assert.Contains((nint)_table.Acquire("again"), slots);
        Assert.DoesNotContain((nint)_table.Acquire("one more"), slots);
    }

    [Fact]
    public void Releasing_inside_an_epoch_or_twice_is_refused()
    {
        EpochSlot* slot = _table.Acquire("reader");
        _table.Enter(slot);
        var inside = Assert.Throws<InvalidOperationException>(() => _table.Release(slot));
        Assert.Contains("reader", inside.Message, StringComparison.Ordinal);
        _table.Leave(slot);
        _table.Release(slot);
        Assert.Throws<InvalidOperationException>(() => _table.Release(slot));
    }

    [Fact]
    public void The_longest_holder_is_named_only_while_an_action_waits_for_it()
    {
        EpochSlot* slow = _table.Acquire("slow"), quick = _table.Acquire("quick");
        _table.Enter(slow);
        Assert.Null(_table.LongestHolder(out TimeSpan held));
        Assert.Equal(TimeSpan.Zero, held);
        _table.Bump(() => { });
        _table.Enter(quick);
        Assert.Equal("slow", _table.LongestHolder(out held));
        Assert.True(held > TimeSpan.Zero);
        _table.Leave(slow);
        Assert.Null(_table.LongestHolder(out _));
        _table.Leave(quick);
    }

    [Fact]
    public void The_safe_epoch_stays_below_every_announced_one_and_never_falls()
    {
        EpochSlot* slot = _table.Acquire("s");
        for (int i = 0; i < 100; i++)
        {
            long before = _table.Safe;
            _table.Enter(slot);
            _table.Bump(() => { });
            Assert.InRange(_table.Safe, before, slot->Epoch - 1);
            _table.Leave(slot);
            Assert.Equal(_table.Current - 1, _table.Safe);
        }
    }

    [Fact]
    public void Slots_fill_cache_lines_and_hot_counters_share_none()
    {
        Assert.Equal(5 * CacheLine.Bytes, Unsafe.SizeOf<EpochSlot>());
        Assert.Equal(Unsafe.SizeOf<EpochSlot>(), Unsafe.SizeOf<QuietView>());
        EpochCounters counters = default;
        long Offset(ref long field) => Unsafe.ByteOffset(ref Unsafe.As<EpochCounters, byte>(ref counters),
            ref Unsafe.As<long, byte>(ref field));
        Assert.Equal(0, Offset(ref counters.Current));
        Assert.Equal(Offset(ref counters.Current) + 8, Offset(ref counters.Conditions));
        Assert.Equal(64, Offset(ref counters.Fenced));
        Assert.True(Unsafe.SizeOf<EpochCounters>() - Offset(ref counters.Safe) - sizeof(long) >= 64);
    }
}
