using System.Diagnostics;

namespace Faster.MemoryProbe.Bounds;

/// <summary>Writes to a store what a load consists of, a given number of bytes.</summary>
/// <remarks>
/// Keys and lengths are chosen so that what is live takes <paramref name="live"/> bytes, records' own bytes included:
/// half of what the store has for records, so that the live data fit. One thread.
/// </remarks>
/// <param name="session">Where to write.</param>
/// <param name="live">The bytes that are live at most.</param>
/// <param name="first">The first of the keys that belong to this session.</param>
/// <param name="seed">Seeds the choice of keys and lengths.</param>
internal sealed class Load(BoundedSession session, long live, long first, int seed)
{
    /// <summary>The length of the longest value.</summary>
    public const int LargestBytes = 100_000;

    private const int ValueBytes = 100, LongestGrown = 12 * ValueBytes, ShortestGrown = 20, Overhead = 40;
    private const double Skew = 6;
    private static readonly TimeSpan Lifetime = TimeSpan.FromMilliseconds(400);

    private readonly Random _random = new(seed);
    private readonly byte[] _bytes = Bytes();

    private long Keys => live / (ValueBytes + Overhead);

    /// <summary>Fills the store with what the load updates, and then runs it.</summary>
    /// <param name="kind">The load.</param>
    /// <param name="bytes">How many bytes of values it writes.</param>
    public void Run(LoadKind kind, long bytes)
    {
        long end = session.Written + bytes;
        switch (kind)
        {
            case LoadKind.NewKeys: Fill(); break;
            case LoadKind.Uniform or LoadKind.Merge: Fill(); Update(end, () => _random.NextInt64(Keys)); break;
            case LoadKind.Skewed: Fill(); Update(end, () => (long)(Keys * Math.Pow(_random.NextDouble(), Skew))); break;
            case LoadKind.Churn: Fill(); Churn(end); break;
            case LoadKind.Growing: Grow(end); break;
            case LoadKind.Large: WriteLarge(end); break;
            case LoadKind.Expiring: Expire(end); break;
            default:
                foreach (LoadKind each in Enum.GetValues<LoadKind>())
                {
                    if (each is LoadKind.Mixed or LoadKind.Merge) continue;
                    if (each != LoadKind.Expiring || session.SetTimeToLive is not null) Run(each, bytes);
                }

                break;
        }

        session.Complete();
    }

    private void Fill() => Update(long.MaxValue, new Counter(Keys).Next);

    private void Update(long end, Func<long> choose)
    {
        while (session.Written < end && choose() is >= 0 and var key)
            session.Put(first + key, _bytes.AsSpan(0, ValueBytes));
    }

    // The keys behind those that others update are free again at the end.
    private void Churn(long end)
    {
        long oldest = 0;
        for (; session.Written < end; oldest++)
        {
            session.Delete(first + oldest);
            session.Put(first + oldest + Keys, _bytes.AsSpan(0, ValueBytes));
        }

        for (long key = Math.Max(oldest, Keys); key < oldest + Keys; key++) session.Delete(first + key);
    }

    private void Grow(long end)
    {
        long keys = live / (LongestGrown + Overhead);
        for (long key = keys; key < Keys; key++) session.Delete(first + key);
        for (int length = ShortestGrown; session.Written < end; length = Math.Min(length + (length / 8), LongestGrown))
            for (long key = 0; key < keys; key++) session.Put(first + key, _bytes.AsSpan(0, length));
        for (long key = 0; key < keys; key++) session.Delete(first + key);
    }

    private void WriteLarge(long end)
    {
        for (long key = 0; key < Keys; key++) session.Delete(first + key);
        long keys = live / LargestBytes;
        while (session.Written < end)
        {
            int length = LargestBytes >> _random.Next(6);
            session.Put(first + _random.NextInt64(keys), _bytes.AsSpan(0, length));
        }

        for (long key = 0; key < keys; key++) session.Delete(first + key);
    }

    private void Expire(long end)
    {
        session.SetTimeToLive!(Lifetime);
        long begun = Stopwatch.GetTimestamp(), next = 0;
        while (session.Written < end)
        {
            SpinWait.SpinUntil(() => next < Keys * (Stopwatch.GetElapsedTime(begun) / Lifetime) / 2);
            session.Put(first + (2 * Keys) + next++, _bytes.AsSpan(0, ValueBytes));
        }

        session.SetTimeToLive!(TimeSpan.Zero);
    }

    private static byte[] Bytes()
    {
        byte[] bytes = new byte[LargestBytes];
        new Random(1).NextBytes(bytes);
        return bytes;
    }

    private sealed class Counter(long count)
    {
        private long _next;

        public long Next() => _next < count ? _next++ : -1;
    }
}
