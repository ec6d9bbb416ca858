namespace Faster.Workload.Cells;

/// <summary>
/// What the values of a store must be, computed from what the threads have done: of every key, or of one in
/// <paramref name="stride"/>, among them the one that Zipf makes hottest.
/// </summary>
/// <remarks>
/// It is exact whatever order the threads worked in: within a cell, blind updates all leave the same mark, and
/// read-modify-writes add up.
/// </remarks>
/// <param name="keys">How many keys are loaded.</param>
/// <param name="stride">1 for every key.</param>
internal sealed class ExpectedValues(int keys, int stride)
{
    private const int SampleLength = 10_000;

    private readonly uint[] _states = OccupiedArray.Of<uint>((keys + stride - 1) / stride);

    /// <summary>The state of values after a load.</summary>
    /// <param name="keys">How many keys are loaded.</param>
    /// <param name="all">Whether every value is checked, or only a sample.</param>
    public static ExpectedValues OfLoad(int keys, bool all) => new(keys, all ? 1 : Math.Max(1, keys / SampleLength));

    /// <summary>Notes what a thread has done.</summary>
    /// <param name="stream">Its keys.</param>
    /// <param name="operations">How many of them it has worked through.</param>
    /// <param name="workload">What it did with them.</param>
    /// <param name="mark">The mark of its blind updates.</param>
    public void Note(KeyStream stream, long operations, YcsbWorkload workload, long mark)
    {
        if (workload.Update is UpdateKind.None or UpdateKind.Insert)
            return;
        ReadOnlySpan<int> drawn = stream.Drawn;
        (long laps, long rest) = Math.DivRem(operations, drawn.Length);
        for (int i = 0; i < (laps == 0 ? rest : drawn.Length); i++)
        {
            int key = workload.Reads == 0 ? drawn[i] : ~drawn[i];
            if (key < 0 || key % stride != 0)
                continue;
            ref uint state = ref _states[key / stride];
            state = workload.Update == UpdateKind.Rmw ? state + (uint)(laps + (i < rest ? 1 : 0)) : (uint)mark;
        }
    }

    /// <summary>Compares with what is in the store.</summary>
    /// <returns>How many values were compared.</returns>
    /// <exception cref="WrongAnswerException">One differs.</exception>
    public long Check(IEngine engine)
    {
        AnswerCheck.ForEachChunk(engine, _states.Length, (worker, places) =>
        {
            Span<long> chunk = stackalloc long[places.Length];
            for (int i = 0; i < chunk.Length; i++)
                chunk[i] = places[i] * stride;
            Span<long> words = stackalloc long[places.Length];
            worker.Fetch(chunk, words);
            for (int i = 0; i < chunk.Length; i++)
                Require(chunk[i], words[i], _states[places[i]]);
        });
        return _states.Length;
    }

    /// <summary>Checks what a thread has inserted: every key, or one in as many as of those loaded.</summary>
    /// <returns>How many values were compared.</returns>
    public long CheckInserted(IEngine engine, LatestStream stream, long operations, long mark)
    {
        using IWorker worker = engine.StartWorker();
        long inserted = stream.InsertsAfter(operations);
        Span<long> word = stackalloc long[1];
        long compared = 0;
        for (long n = 0; n < inserted; n += stride, compared++)
        {
            long key = stream.Inserted(n);
            worker.Fetch([key], word);
            Require(key, word[0], (uint)mark);
        }

        return compared;
    }

    private static void Require(long key, long word, uint state)
    {
        AnswerCheck.RequireKey(key, word);
        if (ValueWord.StateOf(word) != state)
        {
            throw new WrongAnswerException(
                $"Key {key} has the state {ValueWord.StateOf(word):x8} where the operations done make it {state:x8}: "
                + "an update was lost, or made twice.");
        }
    }
}
