using System.Collections.Concurrent;
using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Ycsb.Tests.Writes;

/// <summary>A dictionary that says it is durable, each call by a sync of its own, and that can go wrong.</summary>
internal sealed class FakeDurableEngine(DurableFault fault = DurableFault.None) : IDurableEngine, IEngineSource
{
    private const long Victim = 77;

    private readonly ConcurrentDictionary<long, long> _words = new();
    private long _syncs;
    private int _underWay;
    private int _mostUnderWay;

    /// <inheritdoc/>
    public string Name => "fake";

    /// <inheritdoc/>
    public SyncCounts? Syncs => new(Volatile.Read(ref _syncs), 0);

    /// <summary>The most awaited writes that were under way at once.</summary>
    public int MostUnderWay => _mostUnderWay;

    /// <summary>How many are under way.</summary>
    public int UnderWay => _underWay;

    /// <inheritdoc/>
    public Task<IEngine> OpenAsync(string folder, EngineShape shape) => Task.FromResult<IEngine>(this);

    /// <inheritdoc/>
    public IWorker StartWorker() => new Worker(this);

    /// <inheritdoc/>
    public IAwaitedWriter StartAwaitedWriter(int depth) => new Writer(this, depth);

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Write(ReadOnlySpan<long> keys, long mask)
    {
        if (mask != 0 && fault == DurableFault.Fails)
            throw new IOException("The disk is gone.");
        foreach (long key in keys)
        {
            if (mask == 0 || fault != DurableFault.LosesOneKey || key != Victim)
                _words[key] = ValueWord.Of(key) ^ mask;
        }

        Interlocked.Increment(ref _syncs);
    }

    private sealed class Worker(FakeDurableEngine engine) : UpsertWorker
    {
        public override void Upsert(ReadOnlySpan<long> keys, long mask) => engine.Write(keys, mask);

        public override void Fetch(ReadOnlySpan<long> keys, Span<long> words)
        {
            for (int i = 0; i < keys.Length; i++)
                words[i] = engine._words[keys[i]];
        }
    }

    private sealed class Writer(FakeDurableEngine engine, int depth) : IAwaitedWriter
    {
        private readonly Task?[] _slots = new Task?[depth];

        public void Begin(int slot, long key, long mask)
        {
            Assert.Null(_slots[slot]);
            int underWay = Interlocked.Increment(ref engine._underWay);
            engine._mostUnderWay = Math.Max(engine._mostUnderWay, underWay);
            _slots[slot] = Task.Run(() => engine.Write([key], mask));
        }

        public async ValueTask EndAsync(int slot)
        {
            Task write = _slots[slot]!;
            _slots[slot] = null;
            await write;
            Interlocked.Decrement(ref engine._underWay);
        }

        public void Dispose()
        {
            // A client is the engine and its slots.
        }
    }
}

/// <summary>What goes wrong.</summary>
public enum DurableFault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>The updates of one key are acknowledged, and lost.</summary>
    LosesOneKey,

    /// <summary>Every update fails.</summary>
    Fails,
}
