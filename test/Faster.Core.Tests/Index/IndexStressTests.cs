using System.Diagnostics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Resizing;

namespace Faster.Tests.Index;

/// <summary>Real threads that add, remove and look up while the index grows again and again.</summary>
public sealed unsafe class IndexStressTests
{
    private const int Threads = 4;
    private const int KeysEach = 400;

    [Fact]
    public void Nothing_is_lost_and_no_entry_is_there_twice_while_the_index_grows() => Repeat(seed =>
    {
        using var store = new FakeStore(bucketCount: 3, capacity: Threads * 8000);
        RunOnce(store, seed, tagMask: 7);
        Assert.InRange(store.GrowthsFinished, 1, 9);
        Assert.Equal(0, store.Index.SharedTagBuckets);
    });

    [Fact]
    public void Nothing_is_lost_and_the_limit_is_kept_while_buckets_freeze() => Repeat(seed =>
    {
        using var store = new FakeStore(bucketCount: 3, capacity: Threads * 8000);
        store.Index.ByteLimit = (2 + (seed % 12)) * Environment.SystemPageSize;
        RunOnce(store, seed, tagMask: 0x3FF);
        if (seed == 0) Assert.True(store.Index.SharedTagBuckets > 0);
    });

    [Fact]
    public void Nothing_is_lost_while_the_index_grows_and_shrinks() => Repeat(seed =>
    {
        using var store = new FakeStore(bucketCount: 3, capacity: Threads * 8000)
        {
            FailsEvery = 3 + (seed % 50),
        };
        RunOnce(store, seed, tagMask: 7, shrinks: true);
        Assert.True(store.GrowthsFinished > 0 && store.ShrinksFinished > 0);
    });

    private static void Repeat(Action<int> round)
    {
        var clock = Stopwatch.StartNew();
        int seed = 0;
        do round(seed++);
        while (clock.Elapsed < TimeSpan.FromSeconds(1.5 * TestBudget.Factor));
    }

    private static void RunOnce(FakeStore store, int seed, ulong tagMask, bool shrinks = false)
    {
        HashSet<ulong>[] expected = new HashSet<ulong>[Threads];
        int running = Threads;
        var threads = new Thread[Threads + 1];
        var failures = new List<Exception>();
        for (int t = 0; t < Threads; t++)
        {
            int own = t;
            threads[t] = new Thread(() => Guard(failures, () =>
            {
                try
                {
                    expected[own] = Work(store, own, seed, tagMask, shrinks);
                }
                finally
                {
                    Interlocked.Decrement(ref running);
                }
            }));
        }

        threads[Threads] = new Thread(() => Guard(
            failures, () => DriveWhile(store, () => Volatile.Read(ref running) > 0)));
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        Assert.Empty(failures);
        Assert.Equal(3 << (store.GrowthsFinished - store.ShrinksFinished), store.Index.BucketCount);
        Assert.Equal(expected.SelectMany(keys => keys).Order(), store.CheckWhole().Order());
    }

    private static HashSet<ulong> Work(FakeStore store, int thread, int seed, ulong tagMask, bool shrinks)
    {
        var random = new Random((seed * Threads) + thread);
        EpochSlot* session = store.Epochs.Acquire("worker");
        var present = new HashSet<ulong>();
        for (int i = 0; i < 3000; i++)
        {
            if (i % 200 == 100) GrowOnce(store);
            if (shrinks && i % 200 == 0) store.TryStart(ResizeKind.Join);
            ulong key = KeyOf(thread, random.Next(KeysEach), tagMask);
            switch (random.Next(3))
            {
                case 0:
                    Assert.Equal(present.Add(key), store.Add(session, key));
                    break;
                case 1:
                    Assert.Equal(present.Remove(key), store.Remove(session, key));
                    break;
                default:
                    Assert.Equal(present.Contains(key), store.Contains(session, key));
                    break;
            }
        }

        store.Epochs.Release(session);
        return present;
    }

    // Looks and grows as one step: another thread's growth in between would be one too many.
    private static void GrowOnce(FakeStore store)
    {
        lock (store)
        {
            if (store.Index.BucketCount < 3 << 9) store.TryStart(ResizeKind.Split);
        }
    }

    // Each thread has keys of its own, but shares buckets and tags with the others.
    private static ulong KeyOf(int thread, int number, ulong tagMask)
    {
        ulong mixed = (ulong)((number * Threads) + thread) * 0x9E3779B97F4A7C15;
        return (((mixed >> 50) & tagMask) << 50) | ((mixed >> 14) & ~3UL) | (uint)thread;
    }

    private static void DriveWhile(FakeStore store, Func<bool> working)
    {
        EpochSlot* driver = store.Epochs.Acquire("driver");
        while (working())
        {
            Assert.True(store.Index.Bytes <= store.Index.ByteLimit, $"{store.Index.Bytes} bytes");
            store.Drive(driver);
            Thread.Yield();
        }

        store.Drive(driver);
        store.Epochs.Release(driver);
    }

    private static void Guard(List<Exception> failures, Action action)
    {
        try
        {
            action();
        }
        catch (Exception failure)
        {
            lock (failures) failures.Add(failure);
        }
    }
}
