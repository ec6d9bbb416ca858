using System.Collections.Concurrent;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.Engines;

/// <summary>What reads in the status form of a store of bytes have found.</summary>
internal sealed class Counters
{
    private readonly ConcurrentDictionary<int, byte[]> _found = new();
    private int _completions;

    /// <summary>How many that had to wait are done.</summary>
    public int Completions => Volatile.Read(ref _completions);

    /// <summary>How many keys were found.</summary>
    public int Keys => _found.Count;

    public void Found(int key, ReadOnlySpan<byte> value) => _found[key] = value.ToArray();

    public void Complete() => Interlocked.Increment(ref _completions);

    /// <summary>Keys 0 and on were read, with the values that belong to them.</summary>
    public void AssertAll(int count, int bytes = 40_000)
    {
        Assert.Equal(count, _found.Count);
        for (int key = 0; key < count; key++) Assert.Equal(LargeStore.Value(bytes, key), _found[key]);
    }
}

/// <summary>Reads that report their outcome to <see cref="Counters"/>.</summary>
internal static class TallyOperations
{
    public static Status Read(this FasterSession session, int key, Counters counters)
    {
        var operation = new TalliedRead(key, counters);
        return session.Read(new BytesKey(BitConverter.GetBytes(key)), ref operation);
    }

    private readonly struct TalliedRead(int key, Counters counters) : IReadOperation
    {
        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void SingleRead(ReadOnlySpan<byte> value) => counters.Found(key, value);

        public void ConcurrentRead(ReadOnlySpan<byte> value) => counters.Found(key, value);

        public void Complete(Status status, Exception? error) => counters.Complete();
    }
}
