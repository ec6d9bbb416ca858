using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Faster.Threads;

/// <summary>
/// Runs the tasks of stores that no caller awaits step by step: commits, compaction, closing. They run on threads of
/// their own, so they end also while all threads of the shared pool are blocked, for example by callers that wait for
/// them.
/// </summary>
/// <remarks>
/// <para><b>Invariant.</b> What a task that was started here awaits with <see cref="AwaitExtensions.Here(Task)"/>
/// continues here. What a caller's own code awaits continues as it would anywhere: a task that callers get ends by a
/// completion source that runs continuations elsewhere, or hides this scheduler.</para>
/// <para>One instance for the process; a thread ends when it had nothing to do for a while. Thread-safe.</para>
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "There is one, as long as the process.")]
internal sealed class BackgroundTasks : TaskScheduler
{
    private const TaskContinuationOptions Continues =
        TaskContinuationOptions.HideScheduler | TaskContinuationOptions.DenyChildAttach;

    private static readonly BackgroundTasks _scheduler = new();

    private readonly WorkerThreads<Task> _threads;

    private BackgroundTasks() =>
        _threads = new WorkerThreads<Task>(
            int.MaxValue, TimeSpan.FromSeconds(5), task => _ = TryExecuteTask(task),
            // A task may be started inside an epoch, where its starter must not run it.
            static run => ThreadPool.UnsafeQueueUserWorkItem(static run => run(), run, preferLocal: false));

    /// <summary>Whether the caller runs in a task that was started here.</summary>
    public static bool IsCurrent => Current == _scheduler;

    /// <summary>Starts a task.</summary>
    public static Task Run(Func<Task> function) => Start(function).Unwrap();

    /// <inheritdoc cref="Run(Func{Task})"/>
    public static Task<T> Run<T>(Func<Task<T>> function) => Start(function).Unwrap();

    /// <inheritdoc cref="Run(Func{Task})"/>
    public static Task Run(Action action) => Task.Factory.StartNew(
        action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, _scheduler);

    /// <inheritdoc cref="Run(Func{Task})"/>
    public static Task<T> Run<T>(Func<T> function) => Start(function);

    /// <summary>What follows a task, for a caller that may block until it has been done.</summary>
    public static Task<TResult> After<T, TResult>(
        Task<T> task, Func<T, TResult> next, CancellationToken ct = default) => task.ContinueWith(
        done => next(done.GetAwaiter().GetResult()), ct, Continues, _scheduler);

    /// <inheritdoc cref="After{T, TResult}"/>
    public static Task After(Task task, CancellationToken ct) => task.ContinueWith(
        static done => done.GetAwaiter().GetResult(), ct, Continues, _scheduler);

    /// <summary>
    /// Waits for a time, or until the token is canceled. A background task waits with its thread, as a timer of the
    /// system would need one of the pool.
    /// </summary>
    public static Task DelayAsync(TimeSpan time, TimeProvider clock, CancellationToken ct)
    {
        if (!IsCurrent || clock != TimeProvider.System) return Task.Delay(time, clock, ct);
        return ct.WaitHandle.WaitOne(time) ? Task.FromCanceled(ct) : Task.CompletedTask;
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task) => _threads.Submit([task]);

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        IsCurrent && !taskWasPreviouslyQueued && TryExecuteTask(task);

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => [];

    private static Task<T> Start<T>(Func<T> function) => Task.Factory.StartNew(
        function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, _scheduler);
}

/// <summary>How the library's own code awaits.</summary>
internal static class AwaitExtensions
{
    /// <summary>
    /// Awaits without the caller's context: what follows runs where <see cref="BackgroundTasks"/> run if the caller is
    /// one, and otherwise on any thread.
    /// </summary>
    public static ConfiguredTaskAwaitable Here(this Task task) => task.ConfigureAwait(BackgroundTasks.IsCurrent);

    /// <summary>As <see cref="Here(Task)"/>, whether the task fails or not.</summary>
    public static ConfiguredTaskAwaitable HereQuietly(this Task task) => task.ConfigureAwait(
        ConfigureAwaitOptions.SuppressThrowing
        | (BackgroundTasks.IsCurrent ? ConfigureAwaitOptions.ContinueOnCapturedContext : ConfigureAwaitOptions.None));

    /// <inheritdoc cref="Here(Task)"/>
    public static ConfiguredTaskAwaitable<T> Here<T>(this Task<T> task) =>
        task.ConfigureAwait(BackgroundTasks.IsCurrent);

    /// <inheritdoc cref="Here(Task)"/>
    public static ConfiguredValueTaskAwaitable Here(this ValueTask task) =>
        task.ConfigureAwait(BackgroundTasks.IsCurrent);

    /// <inheritdoc cref="Here(Task)"/>
    public static ConfiguredValueTaskAwaitable<T> Here<T>(this ValueTask<T> task) =>
        task.ConfigureAwait(BackgroundTasks.IsCurrent);

    /// <summary>
    /// As <see cref="Task.WaitAsync(CancellationToken)"/>, which would take a thread of the pool where the task ends by
    /// a completion source that runs continuations elsewhere.
    /// </summary>
    public static Task OrCanceled(this Task task, CancellationToken ct) =>
        ct.CanBeCanceled && !task.IsCompleted ? BackgroundTasks.After(task, ct) : task;

    /// <inheritdoc cref="OrCanceled(Task, CancellationToken)"/>
    public static Task<T> OrCanceled<T>(this Task<T> task, CancellationToken ct) =>
        ct.CanBeCanceled && !task.IsCompleted ? BackgroundTasks.After(task, static value => value, ct) : task;

    /// <summary>As <see cref="OrCanceled(Task, CancellationToken)"/>, for a time at most.</summary>
    /// <exception cref="TimeoutException">
    /// The time is over. While all threads of the pool are blocked, only a task's end is noticed.
    /// </exception>
    public static async Task OrTimeout(
        this Task task, TimeSpan time, TimeProvider clock, CancellationToken ct = default)
    {
        using var late = new CancellationTokenSource(time, clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, ct);
        try
        {
            await task.OrCanceled(either.Token).Here();
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !ct.IsCancellationRequested)
        {
            throw new TimeoutException();
        }
    }
}
