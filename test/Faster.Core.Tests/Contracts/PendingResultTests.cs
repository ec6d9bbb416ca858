using Faster.Contracts;

namespace Faster.Tests.Contracts;

public class PendingResultTests
{
    [Fact]
    public async Task A_waiter_gets_what_the_operation_brings_before_or_after_it_waits()
    {
        AwaitableResult<string> early = AwaitableResult<string>.Rent();
        ValueTask<string> earlyTask = early.WaitAsync();
        early.Complete("early", null);
        Assert.Equal("early", await earlyTask);

        AwaitableResult<string> late = AwaitableResult<string>.Rent();
        ValueTask<string> lateTask = late.WaitAsync();
        Assert.False(lateTask.IsCompleted);
        late.Complete("late", null);
        Assert.Equal("late", await lateTask);
    }

    [Fact]
    public async Task An_error_reaches_the_waiter()
    {
        AwaitableResult<string> pending = AwaitableResult<string>.Rent();
        ValueTask<string> task = pending.WaitAsync();
        pending.Complete("", new StorageException("disk"));
        StorageException error = await Assert.ThrowsAsync<StorageException>(async () => await task);
        Assert.Equal("disk", error.Message);
    }

    [Fact]
    public async Task A_token_ends_the_waiting_and_the_late_outcome_meets_no_other_waiter()
    {
        using var source = new CancellationTokenSource();
        AwaitableResult<long> cancelled = AwaitableResult<long>.Rent();
        ValueTask<long> task = cancelled.WaitAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await task);

        // The operation still holds the object: no other operation may get it.
        AwaitableResult<long> next = AwaitableResult<long>.Rent();
        Assert.NotSame(cancelled, next);
        ValueTask<long> nextTask = next.WaitAsync();
        cancelled.Complete(-1, null);
        Assert.False(nextTask.IsCompleted);
        next.Complete(7, null);
        Assert.Equal(7, await nextTask);
    }

    [Fact]
    public async Task A_task_is_awaited_once()
    {
        AwaitableResult<decimal> pending = AwaitableResult<decimal>.Rent();
        ValueTask<decimal> task = pending.WaitAsync();
        pending.Complete(1, null);
        Assert.Equal(1, await task);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await task);
    }

    [Fact]
    public void A_result_is_not_taken_before_it_is_there()
    {
        AwaitableResult<byte> pending = AwaitableResult<byte>.Rent();
        Assert.Throws<InvalidOperationException>(() => pending.TakeResult());
        pending.Complete(3, null);
        Assert.Equal(3, pending.TakeResult());
    }

    [Fact]
    public void A_batch_collects_all_before_it_throws()
    {
        var batch = default(AwaitableBatch<int>);
        AwaitableResult<int>[] results = [.. Enumerable.Range(0, 40).Select(_ => AwaitableResult<int>.Rent())];
        for (int i = 0; i < results.Length; i++)
        {
            batch.Add(i, results[i]);
            results[i].Complete(i, i == 3 ? new StorageException("three") : null);
        }

        int[] values = new int[40];
        bool threw = false;
        try
        {
            batch.Collect(values);
        }
        catch (StorageException)
        {
            threw = true;
        }

        Assert.True(threw);
        Assert.Equal(39, values[39]);
        Assert.Equal(0, values[3]);
    }
}
