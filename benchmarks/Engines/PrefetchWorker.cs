using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>A session used one key at a time, each announced some calls earlier.</summary>
internal sealed class PrefetchWorker(Numbers.Session session) : DividingWorker
{
    private const int Distance = 8;

    /// <inheritdoc/>
    public override int CallLength => 1;

    /// <inheritdoc/>
    public override long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            PrefetchAfter(keys, i);
            StoreStatus.RequireOk(session.Read(keys[i], out long value));
            sum += ValueWord.KeyOf(value);
        }

        return sum;
    }

    /// <inheritdoc/>
    public override long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            PrefetchAfter(keys, i);
            absent += session.Read(keys[i], out _) == Status.NotFound ? 1 : 0;
        }

        return absent;
    }

    /// <inheritdoc/>
    public override void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            PrefetchAfter(keys, i);
            StoreStatus.RequireOk(session.Upsert(keys[i], ValueWord.Of(keys[i]) ^ mask));
        }
    }

    /// <inheritdoc/>
    public override void Rmw(ReadOnlySpan<long> keys)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            PrefetchAfter(keys, i);
            StoreStatus.RequireOk(session.Rmw(keys[i], 1));
        }
    }

    /// <inheritdoc/>
    public override void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            StoreStatus.RequireOk(session.Read(keys[i], out words[i]));
    }

    /// <inheritdoc/>
    public override void Dispose() => session.Dispose();

    private void PrefetchAfter(ReadOnlySpan<long> keys, int i)
    {
        if (i + Distance < keys.Length)
            session.Prefetch(keys[i + Distance]);
    }
}
