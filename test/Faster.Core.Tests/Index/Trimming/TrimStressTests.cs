using System.Diagnostics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster.Tests.Index.Trimming;

/// <summary>Real threads that add, remove and look up while overflow buckets are given back.</summary>
public sealed unsafe class TrimStressTests
{
    private const int Threads = 3, KeysEach = 24, Buckets = 3, Steps = 6_000;

    [Fact]
    public void Nothing_is_lost_and_no_entry_is_there_twice_while_buckets_are_given_back()
    {
        var clock = Stopwatch.StartNew();
        int seed = 0;
        long freed = 0;
        do freed += RunOnce(seed++);
        while (clock.Elapsed < TimeSpan.FromSeconds(1.5 * TestBudget.Factor));
        Assert.True(freed > seed, $"{freed} buckets were given back in {seed} rounds");
    }

    private static long RunOnce(int seed)
    {
        using var store = new FakeStore<NoProbe>(Buckets, capacity: Threads * Steps);
        Task<HashSet<ulong>>[] workers =
        [
            .. Enumerable.Range(0, Threads).Select(own => Task.Factory.StartNew(
                () => Work(store, own, seed), TaskCreationOptions.LongRunning)),
        ];
        long freed = 0;
        var all = Task.WhenAll(workers);
        using (var trimmer = new FakeSession<NoProbe>(store))
        {
            while (!all.IsCompleted) freed += trimmer.Trim(new StepWaits<NoProbe>(store.Epochs));
        }

        HashSet<ulong>[] expected = all.GetAwaiter().GetResult();
        Assert.Equal(expected.SelectMany(keys => keys).Order(), store.CheckWhole().Order());
        Assert.True(store.Index.Bytes <= 3 * Environment.SystemPageSize, $"{store.Index.Bytes} bytes");
        return freed;
    }

    // Chains shrink to nothing and grow to four buckets again and again: most of the time keys are added, or removed.
    private static HashSet<ulong> Work(FakeStore<NoProbe> store, int thread, int seed)
    {
        var random = new Random((seed * Threads) + thread);
        EpochSlot* session = store.Epochs.Acquire("worker");
        var present = new HashSet<ulong>();
        for (int i = 0; i < Steps; i++)
        {
            ulong key = KeyOf(thread, random.Next(KeysEach));
            bool adds = i / KeysEach % 2 == 0;
            switch (random.Next(6))
            {
                case 0:
                    Assert.Equal(present.Contains(key), store.Contains(session, key));
                    break;
                case 1 or 2 or 3 when adds:
                case 4:
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
