using Faster.Workload;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// The loops of a client of a native peer. Its operations take microseconds, beside which a virtual call is nothing.
/// </summary>
internal abstract class NativeWorker : IWorker
{
    /// <inheritdoc/>
    public long Read(ReadOnlySpan<long> keys)
    {
        long told = 0;
        Begin(writes: false);
        foreach (long key in keys)
            told += ValueWord.KeyOf(ReadWord(key));
        End();
        return told;
    }

    /// <inheritdoc/>
    public virtual void Upsert(ReadOnlySpan<long> keys, long mask)
    {
        Begin(writes: true);
        foreach (long key in keys)
            Put(key, ValueWord.Of(key) ^ mask);
        End();
    }

    /// <inheritdoc/>
    public void Rmw(ReadOnlySpan<long> keys)
    {
        Begin(writes: true);
        foreach (long key in keys)
            AddOne(key);
        End();
    }

    /// <inheritdoc/>
    public long Mixed(ReadOnlySpan<long> keys, long mask)
    {
        long told = 0;
        Begin(writes: true);
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ValueWord.KeyOf(ReadWord(key));
            else
                Put(~key, ValueWord.Of(~key) ^ mask);
        }

        End();
        return told;
    }

    /// <inheritdoc/>
    public long MixedRmw(ReadOnlySpan<long> keys)
    {
        long told = 0;
        Begin(writes: true);
        foreach (long key in keys)
        {
            if (key >= 0)
                told += ValueWord.KeyOf(ReadWord(key));
            else
                AddOne(~key);
        }

        End();
        return told;
    }

    /// <inheritdoc/>
    public void Fetch(ReadOnlySpan<long> keys, Span<long> words)
    {
        Begin(writes: false);
        for (int i = 0; i < keys.Length; i++)
            words[i] = ReadWord(keys[i]);
        End();
    }

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>A chunk of operations begins.</summary>
    protected abstract void Begin(bool writes);

    /// <summary>It ends.</summary>
    protected abstract void End();

    /// <summary>Reads a value as a whole, and gives its word.</summary>
    protected abstract long ReadWord(long key);

    /// <summary>Sets a value.</summary>
    protected abstract void Put(long key, long word);

    /// <summary>Adds one to a value's word.</summary>
    protected abstract void AddOne(long key);
}
