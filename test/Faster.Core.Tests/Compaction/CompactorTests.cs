using Faster.Compaction;
using Faster.Log;
using Faster.Tests.Expiry;
using Faster.Tests.Faults;

namespace Faster.Tests.Compaction;

/// <summary>A compactor's task tries a step that has failed again, each time later, in a virtual time.</summary>
public sealed class CompactorTests
{
    private static readonly int[] Delays =
        [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000];

    [Fact]
    public Task A_failed_step_is_tried_ever_more_rarely_and_soon_again_after_a_success() => Guard.RunAsync(async () =>
    {
        var time = new ManualTime();
        using var tried = new SemaphoreSlim(0);
        bool succeeds = false;
        int faults = 0;
        using var compactor = new Tried(
            () =>
            {
                tried.Release();
                if (!succeeds) throw new StorageException("The block can't be read.");
                succeeds = false;
            },
            _ => faults++)
        {
            Time = time,
        };
        compactor.Start();
        await tried.WaitAsync();
        foreach (int delay in Delays) await RetryAsync(delay);
        succeeds = true;
        await RetryAsync(60_000);
        await tried.WaitAsync(); // the step after the one that has succeeded, at once
        await RetryAsync(200);

        async Task RetryAsync(int delay)
        {
            await time.PassAsync(delay - 1);
            Assert.Equal(0, tried.CurrentCount);
            time.Advance(1);
            await tried.WaitAsync();
        }
    });

    private sealed class Tried(Action step, Action<Exception> onFault) : Compactor(new WaitGate(), onFault)
    {
        protected override Task WaitAsync() => Task.CompletedTask;

        protected override Task<long> ChooseAsync()
        {
            step();
            return Task.FromResult(0L);
        }

        protected override Task<long> StepAsync(long until) => Task.FromResult(0L);

        protected override Task ReleaseAsync() => Task.CompletedTask;
    }
}
