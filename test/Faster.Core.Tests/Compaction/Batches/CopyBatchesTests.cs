using Faster.Compaction.Batches;
using Faster.Contracts;

namespace Faster.Tests.Compaction.Batches;

/// <summary>Compactions take turns with the batches.</summary>
public sealed class CopyBatchesTests
{
    private static readonly CopyBatchShape s_shape = new(0, 0, CopyBatch.LeastFor(4096));

    [Fact]
    public void A_thread_that_returns_its_batch_gets_another_one_after_those_that_wait()
    {
        using var batches = new CopyBatches(1, () => new CopyBatch(s_shape, new HashOrder()));
        CopyBatch batch = batches.Take();
        bool isServed = false;
        var other = new Thread(() =>
        {
            CopyBatch taken = batches.Take();
            isServed = true;
            batches.Return(taken);
        });
        other.Start();
        SpinWait.SpinUntil(() => (other.ThreadState & ThreadState.WaitSleepJoin) != 0);
        batches.Return(batch);
        batch = batches.Take();
        Assert.True(isServed);
        batches.Return(batch);
        other.Join();
    }

    [Fact]
    public void Threads_that_take_and_return_batches_all_the_time_end()
    {
        using var batches = new CopyBatches(2, () => new CopyBatch(s_shape, new HashOrder()));
        int used = 0;
        Thread[] threads = [.. Enumerable.Range(0, 5).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 20_000; i++)
            {
                CopyBatch batch = batches.Take();
                Assert.InRange(Interlocked.Increment(ref used), 1, 2);
                Thread.Yield(); // so that others come to wait
                Interlocked.Decrement(ref used);
                batches.Return(batch);
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
    }
}
