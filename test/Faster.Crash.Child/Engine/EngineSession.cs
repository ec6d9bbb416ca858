using Faster.Contracts;
using Faster.Crash.Workloads;
using Faster.LogSessions;

namespace Faster.Crash.Engine;

/// <summary>A session of any engine with commits as workloads use it.</summary>
/// <param name="session">The session.</param>
internal abstract class EngineSession(ICommitSession session) : IWorkSession
{
    private readonly List<Task> _awaited = [];

    /// <inheritdoc/>
    public long SerialNumber => session.SerialNumber;

    /// <inheritdoc/>
    public SessionPoint Recovered => SessionPoint.Of(session.RecoveredPoint);

    /// <summary>The session itself.</summary>
    protected ICommitSession Session => session;

    /// <summary>The session as one that runs transactions.</summary>
    protected ITransactionSession Transactions => (ITransactionSession)session;

    /// <inheritdoc/>
    public void SetNext(long number) => session.SetNextSerialNumber(number);

    /// <inheritdoc/>
    public bool Do(Step step)
    {
        Status status = step.Kind switch
        {
            StepKind.Add => Add(step.Key, step.Value),
            StepKind.AwaitedAdd => AddAwaited(step.Key, step.Value),
            StepKind.Unit => AddToAll(step),
            StepKind.Put => Put(step.Key, step.Value),
            StepKind.Delete => Delete(step.Key),
            StepKind.Transfer => Transfer(step, commits: true),
            StepKind.Refused => Transfer(step, commits: false),
            _ => Read(step.Key, new Found()),
        };
        return status != Status.Pending;
    }

    /// <inheritdoc/>
    public void CompletePending()
    {
        try
        {
            (session as HashSession)?.CompletePending(wait: true);
        }
        finally
        {
            Task all = Task.WhenAll(_awaited);
            _awaited.Clear();
            all.GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc/>
    public byte[]? Read(int key)
    {
        var found = new Found();
        Status status = Read(key, found);
        if (status == Status.Pending) ((HashSession)session).CompletePending(wait: true);
        return found.ValueOrThrow();
    }

    /// <inheritdoc/>
    public void Dispose() => session.Dispose();

    /// <summary>Adds to a number, or appends an entry.</summary>
    protected abstract Status Add(int key, byte[] value);

    /// <summary>As <see cref="Add"/>; the store's own threads complete what goes pending.</summary>
    /// <returns>The task to await, or null when it has ended.</returns>
    protected abstract Task? AddAsync(int key, byte[] value);

    /// <summary>Adds to several keys under the step's serial number.</summary>
    protected abstract void AddToAll(IReadOnlyList<int> keys, byte[] value, long serialNumber);

    /// <summary>Runs a transaction over two keys.</summary>
    protected virtual TransactionStatus Transfer(IReadOnlyList<int> keys, byte[] value, bool commits) =>
        throw new NotSupportedException();

    /// <summary>Puts a value.</summary>
    protected abstract Status Put(int key, byte[] value);

    /// <summary>Deletes a key.</summary>
    protected abstract Status Delete(int key);

    /// <summary>Reads a key.</summary>
    protected abstract Status Read(int key, Found found);

    private Status AddAwaited(int key, byte[] value)
    {
        if (AddAsync(key, value) is not { } task) return Status.Ok;
        _awaited.Add(task);
        return Status.Pending;
    }

    private Status Transfer(Step step, bool commits)
    {
        TransactionStatus status = Transfer(step.Keys, step.Value, commits);
        if (status == (commits ? TransactionStatus.Committed : TransactionStatus.Aborted)) return Status.Ok;
        throw new InvalidOperationException($"{step} has ended as {status}.");
    }

    private Status AddToAll(Step step)
    {
        AddToAll(step.Keys, step.Value, step.Number);
        return Status.Ok;
    }
}
