using Microsoft.DurableTask.Entities;

namespace Faster.DurableTask.Tests.Entities;

/// <summary>An account: a number.</summary>
public sealed class Account : TaskEntity<long>
{
    public void Add(long amount) => State += amount;

    public long Get() => State;

    public void Close() => State = default;

    public void Fail() => throw new InvalidOperationException("as asked");
}
