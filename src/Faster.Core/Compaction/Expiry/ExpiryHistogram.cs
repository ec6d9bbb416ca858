using System.Numerics;
using Faster.Invariants;

namespace Faster.Compaction.Expiry;

/// <summary>
/// How many bytes of a part of the log die when. Times are rounded up, to an eighth of a power of two; 4 KiB, for any
/// number of records.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>All bytes of the part are counted in one step, or as lasting; no count is negative.</item>
/// <item>Nothing counts as dead before it is: times are rounded up.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class ExpiryHistogram
{
    private const int Steps = 8, StepBits = 3; // for each power of two

    /// <summary>The number of steps.</summary>
    public const int StepCount = (63 * Steps) + 1;

    private readonly long[] _bytes = new long[StepCount]; // the first: dead
    private long _lasting;

    /// <summary>Makes the histogram of a part of which nothing is counted yet.</summary>
    /// <inheritdoc cref="Reuse"/>
    public ExpiryHistogram(long from, long until, long now) => Reuse(from, until, now);

    /// <summary>The address at which the part begins.</summary>
    public long From { get; private set; }

    /// <summary>The address at which the part ends.</summary>
    public long Until { get; private set; }

    /// <summary>The bytes of all records of the part.</summary>
    public long Bytes { get; private set; }

    /// <summary>The time from which the steps are measured, in Unix milliseconds.</summary>
    public long Base { get; private set; }

    /// <summary>The bytes of records that never expire, as far as is known.</summary>
    public long Lasting => _lasting;

    /// <summary>The bytes of the other records, by the step in which they die.</summary>
    public ReadOnlySpan<long> ByStep => _bytes;

    /// <summary>Makes it the histogram of another part, of which nothing is counted yet.</summary>
    /// <param name="from">The address at which the part begins.</param>
    /// <param name="until">The address at which the part ends.</param>
    /// <param name="now">
    /// The current time, in Unix milliseconds: the nearer an expiry is to it, the finer it is resolved.
    /// </param>
    public void Reuse(long from, long until, long now)
    {
        (From, Until, Base, Bytes, _lasting) = (from, until, now, 0, 0);
        Array.Clear(_bytes);
    }

    /// <summary>Counts bytes of a step, as a histogram with the same base has them.</summary>
    public void AddStep(int step, long bytes)
    {
        _bytes[step] += bytes;
        Bytes += bytes;
    }

    /// <summary>Counts a record that never expires, as far as is known.</summary>
    public void AddLasting(long bytes)
    {
        _lasting += bytes;
        Bytes += bytes;
    }

    /// <summary>Counts a record that is dead.</summary>
    public void AddDead(long bytes) => Add(bytes, Base);

    /// <summary>Counts a record that dies at a time.</summary>
    public void Add(long bytes, long expiry)
    {
        _bytes[expiry <= Base ? 0 : IndexOf(Saturated((Int128)expiry - Base))] += bytes;
        Bytes += bytes;
    }

    /// <summary>The bytes that are dead at a time.</summary>
    public long DeadAt(long time)
    {
        long dead = 0, left = Saturated((Int128)time - Base);
        for (int i = 0; i < _bytes.Length && EndOf(i) <= left; i++) dead += _bytes[i];
        return dead;
    }

    /// <summary>Adds the histogram of the part that follows.</summary>
    public void Append(ExpiryHistogram next)
    {
        Invariant.Check(next.From == Until, $"the part that is appended at {Until} follows it, from {next.From} on");
        for (int i = 0; i < next._bytes.Length; i++)
            if (next._bytes[i] != 0) Add(next._bytes[i], Saturated((Int128)next.Base + EndOf(i)));
        AddLasting(next._lasting);
        Until = next.Until;
    }

    // A base that is read from a file may be any number.
    private static long Saturated(Int128 time) => (long)Int128.Clamp(time, long.MinValue, long.MaxValue);

    private static int IndexOf(long left)
    {
        int power = BitOperations.Log2((ulong)left);
        int step = (int)(power >= StepBits ? left >> (power - StepBits) : left << (StepBits - power)) & (Steps - 1);
        return (power * Steps) + step + 1;
    }

    // The longest time left that has this index.
    private static long EndOf(int index)
    {
        if (index == 0) return 0;
        (int power, long step) = ((index - 1) / Steps, ((index - 1) % Steps) + Steps);
        return power >= StepBits ? ((step + 1) << (power - StepBits)) - 1 : step >> (StepBits - power);
    }
}
