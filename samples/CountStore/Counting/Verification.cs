using CountStore.Input;

namespace CountStore.Counting;

/// <summary>
/// Compares a counter with a plain dictionary, both ways: every key of the dictionary is read from the counter, which
/// finds what is missing or wrong; and every record of the counter must be of a key of the dictionary and not above its
/// count, which finds what should not be there.
/// </summary>
internal sealed class Verification
{
    private const int ExamplesKept = 10;

    private readonly List<KeyDifference> _examples = [];

    private Verification(int keys) => Keys = keys;

    /// <summary>How many keys were compared.</summary>
    public int Keys { get; }

    /// <summary>How many differences there are.</summary>
    public long Differences { get; private set; }

    /// <summary>The first differences.</summary>
    public IReadOnlyList<KeyDifference> Examples => _examples;

    /// <summary>Compares.</summary>
    public static async Task<Verification> CompareAsync(
        ICounter counter, DictionaryCounter expected, CancellationToken cancellation)
    {
        Verification verification = new(expected.Keys);
        await verification.ReadAllAsync(counter, expected, cancellation);
        counter.Visit((key, count) =>
        {
            long most = expected.CountOf(key);
            if (count > most || most == 0) verification.Report(key, most, count);
        });
        return verification;
    }

    private async Task ReadAllAsync(ICounter counter, DictionaryCounter expected, CancellationToken cancellation)
    {
        using ICountWorker worker = counter.StartWorker();
        KeyBatch batch = new();
        List<byte[]> keys = [];
        expected.Visit((key, _) => keys.Add(key.ToArray()));
        for (int next = 0; next < keys.Count;)
        {
            cancellation.ThrowIfCancellationRequested();
            batch.Clear();
            while (next < keys.Count && !batch.IsFull) batch.Add(keys[next++]);
            long[] counts = new long[batch.Count];
            await worker.ReadAsync(batch, counts);
            for (int at = 0; at < counts.Length; at++)
            {
                long right = expected.CountOf(batch[at]);
                if (counts[at] != right) Report(batch[at], right, counts[at]);
            }
        }
    }

    private void Report(ReadOnlySpan<byte> key, long expected, long counted)
    {
        Differences++;
        if (_examples.Count < ExamplesKept) _examples.Add(new KeyDifference(key.ToArray(), expected, counted));
    }
}
