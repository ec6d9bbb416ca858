using Faster.Compaction.Batches;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Tests.Faults;

namespace Faster.Tests.Compaction.Batches;

/// <summary>Copies wait for the end of a capture, and for the log of the index.</summary>
public sealed class CopyPauseTests
{
    /// <remarks>That commit may release the very space that the copies wait for.</remarks>
    [Fact]
    public Task A_commit_does_not_wait_for_copies_that_wait_for_the_log_of_the_index() => Guard.RunAsync(async () =>
    {
        var waits = new StepWaits(new EpochTable());
        bool isFull = true;
        using var asked = new SemaphoreSlim(0);
        var pause = new CopyPause { IsFull = () => Volatile.Read(ref isFull), OnFull = () => asked.Release() };
        Task copies = Guard.RunAsync(() =>
        {
            pause.Enter();
            pause.Leave();
        });
        await asked.WaitAsync(); // it has found the log full, and has asked for its compaction
        await pause.BeginAsync(waits);
        Assert.False(copies.IsCompleted);
        pause.End();
        Assert.False(copies.IsCompleted);
        Volatile.Write(ref isFull, false);
        pause.LookAgain();
        await copies;
    });

    [Fact]
    public Task A_commit_waits_for_copies_under_way() => Guard.RunAsync(async () =>
    {
        var pause = new CopyPause();
        pause.Enter();
        Task begun = pause.BeginAsync(new StepWaits(new EpochTable()));
        Assert.False(begun.IsCompleted);
        pause.Leave();
        await begun;
        Task copies = Guard.RunAsync(pause.Enter);
        Assert.False(copies.IsCompleted);
        pause.End();
        await copies;
    });
}
