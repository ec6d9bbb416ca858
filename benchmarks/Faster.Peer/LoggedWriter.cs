using Faster.Workload.Writes;

namespace Faster.Peer;

/// <summary>A client of FasterLog and its dictionary that awaits commits.</summary>
internal sealed class LoggedWriter(LoggedEngine engine, int depth) : IAwaitedWriter
{
    private readonly LoggedBatch _one = new(1);
    private readonly long[] _addresses = new long[depth];

    /// <inheritdoc/>
    public void Begin(int slot, long key, long mask)
    {
        _one.Set([key], mask);
        _addresses[slot] = engine.Write(_one);
    }

    /// <inheritdoc/>
    public ValueTask EndAsync(int slot) => engine.WaitAsync(_addresses[slot]);

    /// <inheritdoc/>
    public void Dispose()
    {
        // A client is the engine itself and a buffer.
    }
}
