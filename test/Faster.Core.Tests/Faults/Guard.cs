using Faster.Operations.Waiting;

namespace Faster.Tests.Faults;

/// <summary>Runs what might hang, so that a hang is a failure and does not hang the tests.</summary>
internal static class Guard
{
    /// <summary>Runs blocking work on a thread of its own.</summary>
    public static async Task RunAsync(Action work)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                work();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        })
        {
            IsBackground = true,
        }.Start();
        await done.Task.WaitAsync(TestBudget.StallTimeout);
    }

    /// <summary>Runs work that may block before its first await.</summary>
    public static Task RunAsync(Func<Task> work) => Task.Run(work).WaitAsync(TestBudget.StallTimeout);
}
