using System.Collections.Concurrent;
using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

/// <summary>A client of a <see cref="FakeEngine"/>.</summary>
internal sealed class FakeClient(ConcurrentDictionary<long, long> values) : IClient
{
    private long _accepted;

    /// <summary>What hears of commits.</summary>
    public Action<long>? OnDurable { get; private set; }

    /// <inheritdoc/>
    public long Accepted => Volatile.Read(ref _accepted);

    /// <inheritdoc/>
    public void Observe(Action<long> onDurable) => OnDurable = onDurable;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
            sum += ValueWord.KeyOf(values.GetValueOrDefault(key));
        return sum;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            values[key] = ValueWord.Of(key) ^ mask;
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            values.AddOrUpdate(key, 1, (_, old) => old + 1);
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            Volatile.Write(ref _accepted, _accepted + 1);
            if (key >= 0)
                sum += Read([key]);
            else
                Upsert([~key], mask);
        }

        return sum;
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
                sum += Read([key]);
            else
                Rmw([~key]);
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            words[i] = values.GetValueOrDefault(keys[i]);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // There is nothing to give back.
    }
}
