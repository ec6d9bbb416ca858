using Faster.Workload;
using Faster.Workload.Engines;
using Faster.Workload.Writes;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines.Awaited;

/// <summary>A session that awaits its writes.</summary>
internal sealed class AwaitedWriter<TSession, TValue>(TSession session, int depth) : IAwaitedWriter
    where TSession : struct, IAwaitedSession<TValue>
    where TValue : unmanaged
{
    private readonly ValueTask<Status>[] _writes = new ValueTask<Status>[depth];
    private TValue _value;

    /// <inheritdoc/>
    public void Begin(int slot, long key, long mask)
    {
        ValueWord.Set(ref _value, ValueWord.Of(key) ^ mask);
#pragma warning disable CA2012 // Each is kept in its slot, and awaited there once.
        _writes[slot] = session.UpsertAsync(key, _value);
#pragma warning restore CA2012
    }

    /// <inheritdoc/>
    public ValueTask EndAsync(int slot)
    {
        ValueTask<Status> write = _writes[slot];
        if (!write.IsCompletedSuccessfully)
            return WaitAsync(write);
        StoreStatus.RequireOk(write.Result);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    private static async ValueTask WaitAsync(ValueTask<Status> write) => StoreStatus.RequireOk(await write);
}
