namespace Faster.Conformance.Histories;

/// <summary>The operations of a store.</summary>
public enum OperationKind
{
    /// <summary>Answers with the value, or that there is none.</summary>
    Read,

    /// <summary>Sets the value.</summary>
    Upsert,

    /// <summary>Updates the value by an input, or makes the input the value of an absent key.</summary>
    Rmw,

    /// <summary>Removes the key.</summary>
    Delete,
}

/// <summary>One operation on one key: when it was invoked and answered, and what the answer was.</summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public readonly record struct Operation<TValue>
{
    /// <summary>The response time of an operation that was never answered: it may or may not have happened.</summary>
    public const long Never = long.MaxValue;

    /// <summary>The session that issued it.</summary>
    public required int Session { get; init; }

    /// <summary>The kind of operation.</summary>
    public required OperationKind Kind { get; init; }

    /// <summary>The value of an upsert or the input of a read-modify-write.</summary>
    public TValue? Input { get; init; }

    /// <summary>When it was issued. Operations with overlapping times are concurrent.</summary>
    public required long Invoked { get; init; }

    /// <summary>When it was answered, or <see cref="Never"/>.</summary>
    public required long Responded { get; init; }

    /// <summary>
    /// The status was <see cref="Status.Ok"/>. A read or delete with <c>false</c> says that the key was absent; a
    /// delete with <c>true</c> says nothing, because it may be blind.
    /// </summary>
    public bool Found { get; init; }

    /// <summary>
    /// What the status of a read-modify-write says: whether the key existed. Null if it says nothing.
    /// </summary>
    public bool? Existed { get; init; }

    /// <summary>What a read found.</summary>
    public TValue? Result { get; init; }

    /// <summary>Whether the answer is known.</summary>
    public bool IsAnswered => Responded != Never;

    /// <summary>The operation and its answer as text.</summary>
    public string Show(ValueModel<TValue> model)
    {
        string asked = Kind is OperationKind.Upsert or OperationKind.Rmw ? $"{Kind}({model.Show(Input!)})" : $"{Kind}";
        if (!IsAnswered) return asked + ", never answered";
        return Kind switch
        {
            OperationKind.Read => asked + (Found ? $" → {model.Show(Result!)}" : " → absent"),
            OperationKind.Delete => asked + (Found ? " → ok" : " → absent"),
            OperationKind.Rmw when Existed is { } existed => asked + (existed ? " → updated" : " → created"),
            _ => asked,
        };
    }
}

/// <summary>The state of one key: a value, or none.</summary>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <param name="Present">Whether the key exists.</param>
/// <param name="Value">Its value, when it exists.</param>
public readonly record struct RegisterState<TValue>(bool Present, TValue? Value)
{
    /// <summary>Applies one operation to this state.</summary>
    /// <returns>False when the operation's answer is not what this state gives.</returns>
    public bool TryApply(in Operation<TValue> operation, ValueModel<TValue> model, out RegisterState<TValue> next)
    {
        next = this;
        switch (operation.Kind)
        {
            case OperationKind.Read:
                if (!operation.IsAnswered) return true;
                return operation.Found == Present && (!Present || model.Equality.Equals(operation.Result!, Value!));
            case OperationKind.Upsert:
                next = new(true, operation.Input);
                return true;
            case OperationKind.Rmw:
                next = new(true, Present ? model.Update(Value!, operation.Input!) : operation.Input);
                return !operation.IsAnswered || operation.Existed is null || operation.Existed == Present;
            case OperationKind.Delete:
                bool fits = !operation.IsAnswered || operation.Found || !Present;
                next = default; // may be this very state
                return fits;
            default:
                throw new InvalidOperationException($"Unknown operation {operation.Kind}.");
        }
    }
}
