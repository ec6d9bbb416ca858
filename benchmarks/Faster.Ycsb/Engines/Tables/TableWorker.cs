using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Faster.Workload;

namespace Faster.Ycsb.Engines.Tables;

/// <summary>One thread's use of a table in memory, which no session stands before. Not thread-safe.</summary>
internal sealed unsafe class TableWorker<TTable>(TTable table) : IWorker
    where TTable : struct, IWordTable
{
    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
            sum += ValueWord.KeyOf(ReadOne(key));
        return sum;
    }

    /// <inheritdoc/>
    public long CountAbsent(ReadOnlySpan<long> keys)
    {
        long absent = 0;
        foreach (long key in keys)
            absent += table.Find(key) == null ? 1 : 0;
        return absent;
    }

    /// <inheritdoc/>
    public void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        foreach (long key in keys)
            Set(key, ValueWord.Of(key) ^ mask);
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        foreach (long key in keys)
            Add(key);
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key < 0)
                Set(~key, ValueWord.Of(~key) ^ mask);
            else
                sum += ValueWord.KeyOf(ReadOne(key));
        }

        return sum;
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long sum = 0;
        foreach (long key in keys)
        {
            if (key < 0)
                Add(~key);
            else
                sum += ValueWord.KeyOf(ReadOne(key));
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        for (int i = 0; i < keys.Length; i++)
            words[i] = ReadOne(keys[i]);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // The table is the engine's.
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ReadOne(long key)
    {
        long* value = table.Find(key);
        if (value == null)
            ThrowLost(key);
        return Volatile.Read(ref *value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Set(long key, long word)
    {
        long* value = table.Find(key);
        if (value == null)
            table.Insert(key, word);
        else
            Volatile.Write(ref *value, word);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Add(long key)
    {
        long* value = table.Find(key);
        if (value == null)
            ThrowLost(key);
        Interlocked.Increment(ref *value);
    }

    [DoesNotReturn]
    private static void ThrowLost(long key) =>
        throw new WrongAnswerException($"{TTable.Name} lost key {key}.");
}
