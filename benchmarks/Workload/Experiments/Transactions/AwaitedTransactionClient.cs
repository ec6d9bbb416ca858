using System.Diagnostics;

namespace Faster.Workload.Experiments.Transactions;

/// <summary>
/// An awaiting session without a thread: it has several transactions under way, and begins another one when the oldest
/// is acknowledged.
/// </summary>
/// <param name="engine">The engine.</param>
/// <param name="stream">The transactions.</param>
/// <param name="keys">How many keys there are.</param>
/// <param name="turn">Ends it.</param>
/// <param name="depth">How many are under way.</param>
internal sealed class AwaitedTransactionClient(
    ITransactionEngine engine, TransactionStream stream, int keys, Turn turn, int depth) : ITransactionClient
{
    private readonly long[] _starts = new long[depth], _expected = new long[depth];
    private Task _work = Task.CompletedTask;
    private long _done, _updates;

    /// <inheritdoc/>
    public LatencyHistogram Latencies { get; } = new();

    /// <inheritdoc/>
    public bool IsMeasured { get; set; }

    /// <inheritdoc/>
    public bool HasEnded => _work.IsCompleted;

    /// <inheritdoc/>
    public void Start() => _work = Task.Run(PumpAsync);

    /// <inheritdoc/>
    public void Join() => _work.GetAwaiter().GetResult();

    /// <inheritdoc/>
    public long DoneFor(int engine) => Volatile.Read(ref _done);

    /// <inheritdoc/>
    public long UpdatesFor(int engine) => _updates;

    private async Task PumpAsync()
    {
        using IAwaitedTransactions client = engine.StartAwaited(depth);
        long begun = 0, ended = 0;
        while (turn.TryGet(out _))
        {
            if (begun - ended == depth) await EndAsync(client, (int)(ended++ % depth));
            Begin(client, (int)(begun++ % depth));
        }

        while (ended < begun) await EndAsync(client, (int)(ended++ % depth));
    }

    private void Begin(IAwaitedTransactions client, int slot)
    {
        stream.Take(1, out ReadOnlySpan<long> reads, out ReadOnlySpan<long> updates);
        _expected[slot] = 0;
        foreach (long key in reads) _expected[slot] += key;
        _updates += updates.Length;
        _starts[slot] = Stopwatch.GetTimestamp();
        client.Begin(slot, reads, updates, keys);
    }

    private async ValueTask EndAsync(IAwaitedTransactions client, int slot)
    {
        long sum = await client.EndAsync(slot);
        if (IsMeasured) Latencies.Record(Stopwatch.GetTimestamp() - _starts[slot]);
        if ((sum - _expected[slot]) % keys != 0)
            throw new WrongAnswerException("Values that were read belong to other keys than those asked for.");
        Volatile.Write(ref _done, _done + 1);
    }
}
