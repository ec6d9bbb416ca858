using Faster.Epochs;

namespace Faster.Tests.Epochs;

/// <summary>A scan costs what the sessions cost that are there, not the most that ever were.</summary>
public sealed unsafe class EpochSlotsTests
{
    private readonly EpochSlots _slots = new(EpochCounters.Shut);

    [Fact]
    public void Slots_that_were_held_once_are_scanned_no_more()
    {
        nint[] many = Acquire(100_000);
        Assert.InRange(_slots.Count, 100_000, 100_064);
        foreach (nint slot in many) _slots.Release((EpochSlot*)slot);
        Assert.Equal(0, _slots.Count);
    }

    [Fact]
    public void A_slot_that_stays_above_the_released_ones_is_scanned()
    {
        nint[] many = Acquire(1000);
        var last = (EpochSlot*)many[^1];
        last->Epoch = 7;
        foreach (nint slot in many[..^1]) _slots.Release((EpochSlot*)slot);
        Assert.Equal(7, _slots.Lowest(10, out string? owner));
        Assert.Equal("session 999", owner);
        last->Epoch = 0;
        Assert.Equal(11, _slots.Lowest(10, out owner));
        Assert.Null(owner);
        _slots.Release(last);
        Assert.Equal(0, _slots.Count);
    }

    [Fact]
    public void The_lowest_free_slot_is_acquired_first()
    {
        nint[] many = Acquire(500);
        foreach (int index in (int[])[400, 3, 130]) _slots.Release((EpochSlot*)many[index]);
        foreach (int index in (int[])[3, 130, 400, 500])
            Assert.Equal(index, _slots.Acquire("again")->Index);
    }

    [Fact]
    public void Slots_acquired_and_released_at_random_are_those_that_are_scanned()
    {
        var random = new Random(5);
        var held = new SortedDictionary<int, nint>();
        for (int step = 0; step < 20_000; step++)
        {
            // Waves, so that the number of slots grows and falls by hundreds.
            if (held.Count == 0 || random.Next(100) < (step / 2000 % 2 == 0 ? 70 : 30))
            {
                EpochSlot* slot = _slots.Acquire("one");
                int lowest = Enumerable.Range(0, held.Count + 1).First(index => !held.ContainsKey(index));
                Assert.Equal(lowest, slot->Index);
                held.Add(lowest, (nint)slot);
            }
            else
            {
                int index = held.Keys.ElementAt(random.Next(held.Count));
                _slots.Release((EpochSlot*)held[index]);
                held.Remove(index);
            }

            int last = held.Count == 0 ? -1 : held.Keys.Last();
            Assert.InRange(_slots.Count, last + 1, last + 64);
        }
    }

    private nint[] Acquire(int count)
    {
        var slots = new nint[count];
        for (int i = 0; i < count; i++) slots[i] = (nint)_slots.Acquire($"session {i}");
        return slots;
    }
}
