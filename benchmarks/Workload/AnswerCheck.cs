using System.Runtime.ExceptionServices;

namespace Faster.Workload;

/// <summary>
/// Knows what the values of a run must be: a benchmark that gives wrong answers quickly is worth nothing.
/// </summary>
/// <remarks>
/// Every key is loaded with itself as its value. Reads must sum up to their keys; an upsert sets the complement, so
/// that afterwards each value is the key or its complement, and surely the complement for the first keys of a stream;
/// after read-modify-writes the values' sum has grown by exactly the number of operations.
/// </remarks>
internal static class AnswerCheck
{
    /// <summary>Makes an upsert write the key's complement.</summary>
    public const long UpsertMask = -1;

    /// <summary>Gives every key its first value.</summary>
    public static void Load(IEngine engine, int keys) =>
        ForEachChunk(engine, keys, (worker, chunk) => worker.Upsert(chunk, mask: 0));

    /// <summary>Updates the first <paramref name="count"/> keys.</summary>
    public static void UpdateFirst(IEngine engine, int count) =>
        ForEachChunk(engine, count, (worker, chunk) => worker.Upsert(chunk, UpsertMask));

    /// <summary>Checks that what <see cref="UpdateFirst"/> has updated is so, and everything else as loaded.</summary>
    public static void CheckFirstUpdated(IEngine engine, int keys, int count)
    {
        ForEachChunk(engine, keys, (worker, chunk) =>
        {
            foreach (long key in chunk)
            {
                if (worker.Read([key]) != (key < count ? ~key : key))
                    throw new WrongAnswerException($"Key {key} has another value than it had last.");
            }
        });
    }

    /// <summary>Checks a chunk of reads of loaded keys.</summary>
    public static void CheckSum(long sum, ReadOnlySpan<long> keys)
    {
        if (sum != SumOf(keys))
            throw new WrongAnswerException("The values that were read are not those that were loaded.");
    }

    /// <summary>
    /// Checks a chunk of a mix, given the sum of the keys that the values tell: a value that was read is its key or the
    /// key's complement, so it tells the key by dropping the sign.
    /// </summary>
    public static void CheckMixed(long sum, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            sum -= Math.Max(key, 0);
        if (sum != 0)
            throw new WrongAnswerException("A value that was read is neither loaded nor written by anybody.");
    }

    /// <summary>Checks every value after a run.</summary>
    public static void Check(IEngine engine, RunSettings settings, KeyStream[] streams, long operations)
    {
        switch (settings.Operation)
        {
            case OperationKind.Upsert:
                CheckOneOfTwo(engine, settings.Keys);
                CheckStreamsStart(engine, streams);
                break;
            case OperationKind.Rmw:
                CheckGrowth(engine, settings.Keys, operations);
                break;
            default:
                CheckLoaded(engine, settings.Keys);
                break;
        }
    }

    /// <summary>Checks that every value is what was loaded.</summary>
    public static void CheckLoaded(IEngine engine, int keys) =>
        ForEachChunk(engine, keys, (worker, chunk) => CheckSum(worker.Read(chunk), chunk));

    /// <summary>Checks that every value is what was loaded or what an upsert wrote.</summary>
    public static void CheckOneOfTwo(IEngine engine, int keys) => ForEachChunk(engine, keys, CheckUpserted);

    /// <summary>Checks that the values have grown by a sum.</summary>
    public static void CheckGrowth(IEngine engine, int keys, long operations)
    {
        long grown = GrowthOf(engine, keys);
        if (grown != operations)
        {
            throw new WrongAnswerException(
                $"{operations} read-modify-writes were done, but the values have grown by {grown}.");
        }
    }

    /// <summary>By how much the values' sum exceeds what was loaded.</summary>
    public static long GrowthOf(IEngine engine, int keys)
    {
        long grown = 0;
        ForEachChunk(engine, keys, (worker, chunk) => Interlocked.Add(ref grown, worker.Read(chunk) - SumOf(chunk)));
        return grown;
    }

    private static void CheckUpserted(IWorker worker, ReadOnlySpan<long> chunk)
    {
        foreach (long key in chunk)
        {
            long value = worker.Read([key]);
            if (value != key && value != ~key)
                throw new WrongAnswerException($"Key {key} has the value {value}, which nobody wrote.");
        }
    }

    private static void CheckStreamsStart(IEngine engine, KeyStream[] streams)
    {
        using IWorker worker = engine.StartWorker();
        foreach (KeyStream stream in streams)
        {
            foreach (long key in stream.First)
            {
                if (worker.Read([key]) != ~key)
                    throw new WrongAnswerException($"The upsert of key {key} was lost.");
            }
        }
    }

    private static long SumOf(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
            sum += key;
        return sum;
    }

    /// <summary>Works through all keys in order, a part of them on each processor.</summary>
    private static void ForEachChunk(IEngine engine, int keys, Action<IWorker, ReadOnlySpan<long>> act)
    {
        int parts = Environment.ProcessorCount;
        long PartStart(int part) => (long)keys * part / parts;
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
                    chunk[i] = first + i;
                act(worker, chunk[..length]);
            }
        }
    }
}

/// <summary>An engine gave a wrong answer.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message);
