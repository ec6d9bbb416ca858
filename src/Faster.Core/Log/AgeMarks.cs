namespace Faster.Log;

/// <summary>
/// What is known of the log's age: at which times which part of it had become immutable (paper 000, App. C,
/// expiration).
/// </summary>
/// <remarks>
/// Invariants: addresses ascend strictly, times do not fall; of more than <see cref="Most"/> marks the one goes whose
/// neighbours are nearest in time, never the oldest or the newest. So where the log grows evenly a mark is off by a
/// thirtieth of the time that they span, or less. Thread-safe.
/// </remarks>
internal sealed class AgeMarks(TimeProvider time)
{
    /// <summary>The most marks that are kept.</summary>
    public const int Most = 64;

    private readonly Lock _lock = new();
    private readonly List<AgeMark> _marks = [];

    /// <summary>The time now.</summary>
    public DateTime Now => time.GetUtcNow().UtcDateTime;

    /// <summary>The time of the newest mark; long ago when there is none.</summary>
    public DateTime Newest
    {
        get
        {
            lock (_lock) return _marks.Count == 0 ? DateTime.MinValue : _marks[^1].Utc;
        }
    }

    /// <summary>Nothing below an address changes from now on.</summary>
    public void Add(long address)
    {
        DateTime now = Now;
        lock (_lock)
        {
            if (_marks.Count != 0)
            {
                AgeMark last = _marks[^1];
                if (address <= last.Address) return;
                if (now <= last.Utc)
                {
                    // The clock stands, or has been put back: an age is never taken for longer than it is.
                    now = last.Utc;
                    _marks.RemoveAt(_marks.Count - 1);
                }
            }

            _marks.Add(new AgeMark(address, now));
            if (_marks.Count > Most) Thin();
        }
    }

    /// <summary>The highest address below which nothing was changed after a time; 0 when none is known.</summary>
    public long Before(DateTime utc)
    {
        lock (_lock)
        {
            int after = _marks.FindIndex(mark => mark.Utc > utc);
            int last = (after < 0 ? _marks.Count : after) - 1;
            return last < 0 ? 0 : _marks[last].Address;
        }
    }

    /// <summary>The marks above one address, up to another one.</summary>
    public AgeMark[] Between(long begin, long end)
    {
        lock (_lock) return [.. _marks.Where(mark => mark.Address > begin && mark.Address <= end)];
    }

    /// <summary>Takes over what a commit says; before anything is added.</summary>
    public void Restore(IReadOnlyList<AgeMark> marks)
    {
        lock (_lock) _marks.AddRange(marks);
    }

    /// <summary>What lies below an address is gone.</summary>
    public void Forget(long below)
    {
        lock (_lock) _marks.RemoveAll(mark => mark.Address <= below);
    }

    private void Thin()
    {
        int least = 1;
        TimeSpan shortest = TimeSpan.MaxValue;
        for (int i = 1; i < _marks.Count - 1; i++)
        {
            TimeSpan gap = _marks[i + 1].Utc - _marks[i - 1].Utc;
            if (gap >= shortest) continue;
            (least, shortest) = (i, gap);
        }

        _marks.RemoveAt(least);
    }
}
