namespace Faster.Workload;

/// <summary>Knows what the values of a run must be: a benchmark that gives wrong answers quickly is worth nothing.</summary>
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
    public static void Load(IEngine engine, int keys)
    {
        using IWorker worker = engine.StartWorker();
        ForEachChunk(keys, chunk => worker.Upsert(chunk, mask: 0));
    }

    /// <summary>Checks a chunk of reads of loaded keys.</summary>
    public static void CheckSum(long sum, ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            sum -= key;
        if (sum != 0)
            throw new WrongAnswerException("The values that were read are not those that were loaded.");
    }

    /// <summary>Checks every value after a run.</summary>
    public static void Check(IEngine engine, RunSettings settings, KeyStream[] streams, long operations)
    {
        using IWorker worker = engine.StartWorker();
        switch (settings.Operation)
        {
            case OperationKind.Upsert:
                CheckUpserts(worker, settings.Keys, streams);
                break;
            case OperationKind.Rmw:
                CheckRmws(worker, settings.Keys, operations);
                break;
            default:
                ForEachChunk(settings.Keys, chunk => CheckSum(worker.Read(chunk), chunk));
                break;
        }
    }

    private static void CheckUpserts(IWorker worker, int keys, KeyStream[] streams)
    {
        for (long key = 0; key < keys; key++)
        {
            long value = worker.Read([key]);
            if (value != key && value != ~key)
                throw new WrongAnswerException($"Key {key} has the value {value}, which nobody wrote.");
        }

        foreach (KeyStream stream in streams)
        {
            foreach (long key in stream.First)
            {
                if (worker.Read([key]) != ~key)
                    throw new WrongAnswerException($"The upsert of key {key} was lost.");
            }
        }
    }

    private static void CheckRmws(IWorker worker, int keys, long operations)
    {
        long grown = 0;
        ForEachChunk(keys, chunk =>
        {
            grown += worker.Read(chunk);
            foreach (long key in chunk)
                grown -= key;
        });
        if (grown != operations)
        {
            throw new WrongAnswerException(
                $"{operations} read-modify-writes were done, but the values have grown by {grown}.");
        }
    }

    private static void ForEachChunk(int keys, Action<ReadOnlySpan<long>> act)
    {
        Span<long> chunk = stackalloc long[KeyStream.ChunkLength];
        for (int first = 0; first < keys; first += chunk.Length)
        {
            int length = Math.Min(chunk.Length, keys - first);
            for (int i = 0; i < length; i++)
                chunk[i] = first + i;
            act(chunk[..length]);
        }
    }
}

/// <summary>An engine gave a wrong answer.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message);
