using System.Collections.Concurrent;
using Faster.Workload;

namespace Faster.Ycsb.Tests.Cells;

/// <summary>An engine that can be told to go wrong.</summary>
internal sealed class FaultyEngine(Fault fault) : IEngine, IWorker, IEngineSource
{
    private const long Victim = 77;

    private readonly ConcurrentDictionary<long, long> _values = new();
    private int _updates;

    /// <inheritdoc cref="IEngineSource.Name"/>
    public string Name => "faulty";

    /// <summary>What it was opened for.</summary>
    public EngineShape? Shape { get; private set; }

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape)
    {
        Shape = shape;
        return Task.FromResult<IEngine>(this);
    }

    /// <inheritdoc/>
    public IWorker StartWorker() => this;

    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
            sum += ValueWord.KeyOf(_values[fault == Fault.ReadsAnother && key == Victim ? key + 1 : key]);
        return sum;
    }

    /// <inheritdoc/>
    public long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        foreach (long key in keys)
            absent += _values.ContainsKey(fault == Fault.FindsAbsent ? Victim : key) ? 0 : 1;
        return absent;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
        {
            if (!(mask != 0 && fault == Fault.LosesUpsert && key == Victim))
                _values[key] = ValueWord.Of(key) ^ mask;
        }
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
        {
            bool loses = fault == Fault.LosesOneAddition && Interlocked.Increment(ref _updates) == 100;
            if (!loses)
                _values.AddOrUpdate(key, 1, (_, old) => old + 1);
        }
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key >= 0)
                sum += Read([key]);
            else if (fault != Fault.LosesInserts || _values.ContainsKey(~key))
                Upsert([~key], mask);
            else
                _values[~key] = ValueWord.Of(~key);
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
            words[i] = _values[keys[i]];
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // A worker is the engine.
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

/// <summary>What goes wrong.</summary>
public enum Fault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>One key's reads give another's value.</summary>
    ReadsAnother,

    /// <summary>One key's upserts are lost.</summary>
    LosesUpsert,

    /// <summary>One addition of many is lost.</summary>
    LosesOneAddition,

    /// <summary>Keys that were never loaded are found.</summary>
    FindsAbsent,

    /// <summary>New keys do not get the value that they are inserted with.</summary>
    LosesInserts,
}
