using System.Diagnostics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Tests.Index.Trimming;

/// <summary>Real threads that add, remove and look up while overflow buckets are given back.</summary>
public sealed class TrimStressTests
{
    private const int Threads = 3, KeysEach = 24, Buckets = 3, MostSteps = 400_000, Phase = 500;
    private const long Enough = 2_000;

    private bool _isOver;

    [Fact]
    public async Task Nothing_is_lost_and_no_entry_is_there_twice_while_buckets_are_given_back()
    {
        using var store = new FakeStore(Buckets, capacity: Threads * MostSteps);
        Task<HashSet<ulong>>[] workers =
        [
            .. Enumerable.Range(0, Threads).Select(own => Task.Factory.StartNew(
                () => Work(store, own), TaskCreationOptions.LongRunning)),
        ];
        var all = Task.WhenAll(workers);
        long freed = await Task.Factory.StartNew(() => TrimUntil(store, all), TaskCreationOptions.LongRunning);
        HashSet<ulong>[] expected = await all;
        Assert.Equal(expected.SelectMany(keys => keys).Order(), store.CheckWhole().Order());
        Assert.True(freed >= 50, $"{freed} buckets were given back");
        Assert.True(store.Index.Bytes <= 3 * Environment.SystemPageSize, $"{store.Index.Bytes} bytes");
    }

    private long TrimUntil(FakeStore store, Task workers)
    {
        var clock = Stopwatch.StartNew();
        TimeSpan most = TimeSpan.FromSeconds(1.5 * TestBudget.Factor);
        long freed = 0;
        using var trimmer = new FakeSession(store);
        while (!workers.IsCompleted)
        {
            freed += trimmer.Trim(new StepWaits(store.Epochs));
            if ((freed >= Enough && clock.Elapsed > most / 4) || clock.Elapsed > most)
                Volatile.Write(ref _isOver, true);
            Thread.Yield();
        }

        return freed;
    }

    // Chains shrink to nothing and grow to four buckets again and again: most of the time keys are added, or removed.
    private unsafe HashSet<ulong> Work(FakeStore store, int thread)
    {
        var random = new Random(thread);
        EpochSlot* session = store.Epochs.Acquire("worker");
        var present = new HashSet<ulong>();
        for (int i = 0; i < MostSteps && !Volatile.Read(ref _isOver); i++)
        {
            if (i % 64 == 0) Thread.Yield();
            ulong key = KeyOf(thread, random.Next(KeysEach));
            bool adds = i / Phase % 2 == 0;
            switch (random.Next(8))
            {
                case 0:
                    Assert.Equal(present.Contains(key), store.Contains(session, key));
                    break;
                case 1 or 2 or 3 or 4 or 5 when adds:
                case 6:
                    Assert.Equal(present.Add(key), store.Add(session, key));
                    break;
                default:
                    Assert.Equal(present.Remove(key), store.Remove(session, key));
                    break;
            }
        }

        store.Epochs.Release(session);
        return present;
    }

    // Each thread has keys of its own; tags are all different, so that chains are long.
    private static ulong KeyOf(int thread, int number)
    {
        uint tag = (uint)((number * Threads) + thread);
        return HashesOf.Bucket(number % Buckets, Buckets, tag);
    }
}
