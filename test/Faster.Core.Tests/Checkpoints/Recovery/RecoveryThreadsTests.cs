using System.Collections.Concurrent;
using Faster.Checkpoints.Recovery;

namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>Each item is handled and released once, whatever fails.</summary>
public sealed class RecoveryThreadsTests
{
    [Fact]
    public void Each_item_is_handled_by_one_thread_and_released()
    {
        var handled = new ConcurrentBag<int>();
        var released = new ConcurrentBag<int>();
        var threads = new RecoveryThreads<int>(3, (number, item) =>
        {
            Assert.InRange(number, 0, 2);
            handled.Add(item);
        }, released.Add);
        for (int i = 0; i < 1000; i++) threads.Add(i);
        threads.Dispose();
        threads.Dispose();
        threads.ThrowIfFailed();
        Assert.Equal(Enumerable.Range(0, 1000), handled.Order());
        Assert.Equal(Enumerable.Range(0, 1000), released.Order());
    }

    [Fact]
    public void The_first_failure_is_thrown_and_what_follows_is_only_released()
    {
        var handled = new ConcurrentBag<int>();
        var released = new ConcurrentBag<int>();
        using var threads = new RecoveryThreads<int>(1, (_, item) =>
        {
            handled.Add(item);
            if (item == 5) throw new InvalidDataException("five");
        }, released.Add);
        for (int i = 0; i < 10; i++) threads.Add(i);
        threads.Dispose();
        threads.Fail(new InvalidDataException("later"));
        Assert.True(threads.HasFailed);
        Assert.Equal("five", Assert.Throws<InvalidDataException>(threads.ThrowIfFailed).Message);
        Assert.Equal(Enumerable.Range(0, 6), handled.Order());
        Assert.Equal(Enumerable.Range(0, 10), released.Order());
    }
}
