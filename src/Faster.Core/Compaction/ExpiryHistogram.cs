using System.Numerics;

namespace Faster.Compaction;

/// <summary>
/// How many bytes of a part of the log are of use how long. Times are told to an eighth, never too early; 4 KiB,
/// however many records. Not thread-safe.
/// </summary>
/// <param name="from">Where the part begins.</param>
/// <param name="until">Where it ends.</param>
/// <param name="now">The time, in Unix milliseconds: the nearer to it, the finer times are told.</param>
internal sealed class ExpiryHistogram(long from, long until, long now)
{
    private const int Steps = 8, StepBits = 3; // of each power of two

    /// <summary>How many steps there are.</summary>
    public const int StepCount = (63 * Steps) + 1;

    private readonly long[] _bytes = new long[StepCount]; // the first: dead
    private long _lasting;

    /// <summary>Where the part begins.</summary>
    public long From => from;

    /// <summary>Where the part ends.</summary>
    public long Until { get; private set; } = until;

    /// <summary>The bytes of all its records.</summary>
    public long Bytes { get; private set; }

    /// <summary>The time to which those of the records are related, in Unix milliseconds.</summary>
    public long Base => now;

    /// <summary>The bytes of records that live for ever, as far as is known.</summary>
    public long Lasting => _lasting;

    /// <summary>The bytes of the others, by the step in which they die.</summary>
    public ReadOnlySpan<long> ByStep => _bytes;

    /// <summary>Counts records of a step, as another histogram of that base has them.</summary>
    public void AddStep(int step, long bytes)
    {
        _bytes[step] += bytes;
        Bytes += bytes;
    }

    /// <summary>Counts a record that lives for ever, as far as is known.</summary>
    public void AddLasting(long bytes)
    {
        _lasting += bytes;
        Bytes += bytes;
    }

    /// <summary>Counts a record that is dead.</summary>
    public void AddDead(long bytes) => Add(bytes, now);

    /// <summary>Counts a record that dies at a time.</summary>
    public void Add(long bytes, long expiry)
    {
        _bytes[expiry <= now ? 0 : IndexOf(expiry - now)] += bytes;
        Bytes += bytes;
    }

    /// <summary>The bytes that are dead at a time.</summary>
    public long DeadAt(long time)
    {
        long dead = 0;
        for (int i = 0; i < _bytes.Length && EndOf(i) <= time - now; i++) dead += _bytes[i];
        return dead;
    }

    /// <summary>Takes over the part that follows.</summary>
    public void Append(ExpiryHistogram next)
    {
        for (int i = 0; i < next._bytes.Length; i++)
            if (next._bytes[i] != 0) Add(next._bytes[i], next.Base + EndOf(i));
        AddLasting(next._lasting);
        Until = next.Until;
    }

    private static int IndexOf(long left)
    {
        int power = BitOperations.Log2((ulong)left);
        int step = (int)(power >= StepBits ? left >> (power - StepBits) : left << (StepBits - power)) & (Steps - 1);
        return (power * Steps) + step + 1;
    }

    // The longest time with that index.
    private static long EndOf(int index)
    {
        if (index == 0) return 0;
        (int power, long step) = ((index - 1) / Steps, ((index - 1) % Steps) + Steps);
        return power >= StepBits ? ((step + 1) << (power - StepBits)) - 1 : step >> (StepBits - power);
    }
}
