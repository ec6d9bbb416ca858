using DurableTask.Core;

namespace Faster.DurableTask.Tests.Hubs;

/// <summary>Orchestrations and activities of one function each.</summary>
internal static class Inline
{
    public static TaskHubWorker Orchestration<TInput, TOutput>(
        this TaskHubWorker worker, string name, Func<OrchestrationContext, TInput, Task<TOutput>> run,
        Action<string, string>? onEvent = null) => worker.AddTaskOrchestrations(
            new Creator<TaskOrchestration>(name, () => new InlineOrchestration<TInput, TOutput>(run, onEvent)));

    public static TaskHubWorker Activity<TInput, TOutput>(
        this TaskHubWorker worker, string name, Func<TaskContext, TInput, TOutput> run) => worker.AddTaskActivities(
            new Creator<TaskActivity>(name, () => new InlineActivity<TInput, TOutput>(run)));

    private sealed class Creator<T> : ObjectCreator<T>
    {
        private readonly Func<T> _make;

        public Creator(string name, Func<T> make)
        {
            (Name, Version, _make) = (name, "", make);
        }

        public override T Create() => _make();
    }

    private sealed class InlineActivity<TInput, TOutput>(Func<TaskContext, TInput, TOutput> run)
        : TaskActivity<TInput, TOutput>
    {
        protected override TOutput Execute(TaskContext context, TInput input) => run(context, input);
    }

    private sealed class InlineOrchestration<TInput, TOutput>(
        Func<OrchestrationContext, TInput, Task<TOutput>> run, Action<string, string>? onEvent)
        : TaskOrchestration<TOutput, TInput, string, string>
    {
        private readonly Mailbox _mailbox = new();

        public override Task<TOutput> RunTask(OrchestrationContext context, TInput input)
        {
            Mailbox.Current = _mailbox;
            return run(context, input);
        }

        public override void OnEvent(OrchestrationContext context, string name, string input)
        {
            onEvent?.Invoke(name, input);
            _mailbox.Add(name, input);
        }
    }
}
