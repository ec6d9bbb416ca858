using Faster.Checkpoints;
using Faster.Invariants;

namespace Faster.Compaction;

/// <summary>
/// The known ages of the log: the times at which its parts became immutable (paper 000, App. C, expiration).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Addresses ascend strictly; times do not fall.</item>
/// <item>No mark is at or below the address that was forgotten last, although one may be added late.</item>
/// <item>When there are more than <see cref="Most"/> marks, the one is removed whose neighbors are nearest in time,
/// never the oldest or the newest. So where the log grows evenly, a mark is off by at most a thirtieth of the time span
/// of all marks.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class LogAgeIndex(TimeProvider time)
{
    /// <summary>The maximum number of marks.</summary>
    public const int Most = 64;

    private readonly Lock _lock = new();
    private readonly List<LogAge> _marks = [];
    private long _forgotten;

    /// <summary>The current time, UTC.</summary>
    public DateTime Now => time.GetUtcNow().UtcDateTime;

    /// <summary>The time of the newest mark; <see cref="DateTime.MinValue"/> when there is none.</summary>
    public DateTime Newest
    {
        get
        {
            lock (_lock) return _marks.Count == 0 ? DateTime.MinValue : _marks[^1].Utc;
        }
    }

    /// <summary>Records that nothing below an address changes from now on.</summary>
    public void Add(long address)
    {
        DateTime now = Now;
        lock (_lock)
        {
            if (address <= _forgotten) return;
            if (_marks.Count != 0)
            {
                LogAge last = _marks[^1];
                if (address <= last.Address) return;
                if (now <= last.Utc)
                {
                    // The clock stands still, or has been set back: an age is never overestimated.
                    now = last.Utc;
                    _marks.RemoveAt(_marks.Count - 1);
                }
            }

            if (_marks.Count != 0)
            {
                Invariant.Check(
                    address > _marks[^1].Address && now >= _marks[^1].Utc,
                    $"marks ascend: {address} at {now:O}, after {_marks[^1]}");
            }

            _marks.Add(new LogAge(address, now));
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

    /// <summary>The marks above one address, up to and including another.</summary>
    public LogAge[] Between(long begin, long end)
    {
        lock (_lock) return [.. _marks.Where(mark => mark.Address > begin && mark.Address <= end)];
    }

    /// <summary>Restores the marks of a commit; before any mark is added.</summary>
    public void Restore(IReadOnlyList<LogAge> marks)
    {
        lock (_lock) _marks.AddRange(marks);
    }

    /// <summary>Removes the marks at or below an address, because the log below it has been truncated.</summary>
    public void Forget(long below)
    {
        lock (_lock)
        {
            _forgotten = Math.Max(_forgotten, below);
            _marks.RemoveAll(mark => mark.Address <= below);
        }
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
