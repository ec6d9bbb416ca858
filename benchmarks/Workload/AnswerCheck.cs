using System.Runtime.ExceptionServices;

namespace Faster.Workload;

/// <summary>
/// Knows what the values of an experiment must be: a benchmark that gives wrong answers quickly is worth nothing.
/// </summary>
/// <remarks>
/// Every value tells its key and what was done to it (<see cref="ValueWord"/>): blind updates leave
/// <see cref="Updated"/>, and after read-modify-writes the values have grown by exactly their number.
/// </remarks>
internal static class AnswerCheck
{
    /// <summary>The mark that blind updates leave in the experiments of commits.</summary>
    public const long Updated = 1;

    /// <summary>Gives every key its first value.</summary>
    public static void Load(IEngine engine, int keys, KeyNames names = default) =>
        ForEachChunk(engine, keys, (worker, chunk) => worker.Upsert(chunk, mask: 0), names);

    /// <summary>Updates the first <paramref name="count"/> keys.</summary>
    public static void UpdateFirst(IEngine engine, int count) =>
        ForEachChunk(engine, count, (worker, chunk) => worker.Upsert(chunk, Updated));

    /// <summary>Updates some keys, in their order.</summary>
    public static void Update(IEngine engine, ReadOnlyMemory<int> keys) =>
        ForEachChunk(engine, keys.Length, (worker, chunk) =>
        {
            Span<long> chosen = stackalloc long[KeyStream.ChunkLength];
            for (int i = 0; i < chunk.Length; i++)
                chosen[i] = keys.Span[(int)chunk[i]];
            worker.Upsert(chosen[..chunk.Length], Updated);
        });

    /// <summary>Checks that what <see cref="UpdateFirst"/> has updated is so, and everything else as loaded.</summary>
    public static void CheckFirstUpdated(IEngine engine, int keys, int count) =>
        CheckUpdated(engine, keys, key => key < count);

    /// <summary>Checks that some keys have been updated, and all others are as loaded.</summary>
    public static void CheckUpdated(IEngine engine, int keys, Func<long, bool> isUpdated) =>
        CheckWords(engine, keys, (key, state) => state == (isUpdated(key) ? (uint)Updated : 0));

    /// <summary>
    /// Checks a chunk of a mix, given the sum of the keys that the values tell.
    /// </summary>
    public static void CheckMixed(long told, ReadOnlySpan<long> keys)
    {
        if (told != SumOfReads(keys))
            throw new WrongAnswerException("A value that was read belongs to another key.");
    }

    /// <summary>Checks that every value is what was loaded.</summary>
    public static void CheckLoaded(IEngine engine, int keys, KeyNames names = default) =>
        CheckWords(engine, keys, (_, state) => state == 0, names);

    /// <summary>Checks that every value is what was loaded or what an upsert wrote.</summary>
    public static void CheckOneOfTwo(IEngine engine, int keys, KeyNames names = default) =>
        CheckWords(engine, keys, (_, state) => state is 0 or (uint)Updated, names);

    /// <summary>Checks that the values have grown by a sum.</summary>
    public static void CheckGrowth(IEngine engine, int keys, long operations, KeyNames names = default)
    {
        long grown = 0;
        ForEachWord(engine, keys, (key, word) =>
        {
            RequireKey(key, word);
            Interlocked.Add(ref grown, ValueWord.StateOf(word));
        }, names);
        if (grown != operations)
        {
            throw new WrongAnswerException(
                $"{operations} read-modify-writes were done, but the values have grown by {grown}.");
        }
    }

    /// <summary>The sum of the keys that a chunk of operations reads.</summary>
    public static long SumOfReads(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
            sum += key & ~(key >> 63);
        return sum;
    }

    /// <summary>Works through all keys in order, a part of them on each processor.</summary>
    public static void ForEachChunk(
        IEngine engine, long keys, Action<IWorker, ReadOnlySpan<long>> act, KeyNames names = default)
    {
        int parts = Environment.ProcessorCount;
        long PartStart(int part) => (long)((Int128)keys * part / parts);
        try
        {
            Parallel.For(0, parts, Work);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions[0]);
        }

        void Work(int part)
        {
            using IWorker worker = engine.StartWorker();
            Span<long> chunk = stackalloc long[KeyStream.ChunkLength];
            long end = PartStart(part + 1);
            for (long first = PartStart(part); first < end; first += chunk.Length)
            {
                int length = (int)Math.Min(chunk.Length, end - first);
                for (int i = 0; i < length; i++)
                    chunk[i] = names.AreSpread ? names.Of((int)(first + i)) : first + i;
                act(worker, chunk[..length]);
            }

            _ = worker.Finish();
        }
    }

    /// <summary>Requires that a value belongs to its key.</summary>
    public static void RequireKey(long key, long word)
    {
        if (ValueWord.KeyOf(word) != key)
            throw new WrongAnswerException($"Key {key} has the value of key {ValueWord.KeyOf(word)}.");
    }

    private static void CheckWords(
        IEngine engine, int keys, Func<long, uint, bool> isRight, KeyNames names = default) =>
        ForEachWord(engine, keys, (key, word) =>
        {
            RequireKey(key, word);
            if (!isRight(key, ValueWord.StateOf(word)))
                throw new WrongAnswerException($"Key {key} has a value that is not the one it had last.");
        }, names);

    private static void ForEachWord(IEngine engine, int keys, Action<long, long> act, KeyNames names) =>
        ForEachChunk(engine, keys, (worker, chunk) =>
        {
            Span<long> words = stackalloc long[KeyStream.ChunkLength];
            worker.Fetch(chunk, words);
            for (int i = 0; i < chunk.Length; i++)
                act(chunk[i], words[i]);
        }, names);
}

/// <summary>An engine gave a wrong answer.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message);
