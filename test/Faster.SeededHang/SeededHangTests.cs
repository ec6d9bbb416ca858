namespace Faster.SeededHang;

/// <summary>Each of the two ways to hang, in a collection of its own, and a test that ends.</summary>
public static class SeededHangTests
{
    public sealed class OnAThread
    {
        [Fact]
        public void A_thread_waits_forever()
        {
            using var never = new ManualResetEventSlim();
            never.Wait();
        }
    }

    public sealed class WithoutAThread
    {
        private static readonly TaskCompletionSource Never = new(); // what nothing refers to is garbage, and not told

        [Fact]
        public Task A_task_is_awaited_forever() => NeverAsync();

        private static async Task NeverAsync() => await Never.Task;
    }

    public sealed class NotAtAll
    {
        [Fact]
        public void A_test_ends() => Assert.True(true);
    }
}
