namespace Faster.Generators.Models;

/// <summary>The user functions of paper 000, App. E, and the merger of §6.3.</summary>
internal enum FunctionKind
{
    SingleReader,
    ConcurrentReader,
    SingleWriter,
    ConcurrentWriter,
    InitialUpdater,
    InPlaceUpdater,
    CopyUpdater,
    Merger,
    CompletionCallback,
}

/// <summary>Specifies the role of a user function's parameter.</summary>
internal enum Role
{
    Key,
    Input,

    /// <summary>
    /// The value that is only read: a reader's value, a writer's new value, a copy updater's old value, a merger's
    /// older value.
    /// </summary>
    Source,

    /// <summary>The newer of the two values that a merger of bytes reads.</summary>
    Newer,

    /// <summary>The value that is written.</summary>
    Target,
    Output,

    /// <summary>The output of read-modify-writes in a callback, if its type differs from that of reads.</summary>
    UpdateOutput,
    Context,
    Status,
    Error,
}

/// <summary>Specifies how an argument is passed.</summary>
internal enum Passing
{
    Plain,

    /// <summary>By a read-only reference, which needs no keyword at the call if the method has no overload.</summary>
    In,
    Ref,
    Out,
}

/// <summary>One parameter of a user function.</summary>
/// <param name="Role">What it is to the function.</param>
/// <param name="Passing">How an argument is passed.</param>
/// <param name="Type">Its type as it is declared, with modifiers.</param>
internal sealed record ParameterModel(Role Role, Passing Passing, string Type);

/// <summary>One user function of a store.</summary>
/// <param name="Kind">The kind of the function.</param>
/// <param name="Name">The method's name, escaped if it is a keyword.</param>
/// <param name="Parameters">The parameters in order.</param>
/// <param name="ReturnsBool">Whether the function may report that a value does not fit.</param>
/// <param name="IsRaw">Whether the function works on the value's bytes rather than on a typed value.</param>
/// <param name="CannotThrow">Whether the function's body proves that it can't throw.</param>
/// <param name="IsOverloaded">Whether the class has other methods of this name.</param>
internal sealed record FunctionModel(
    FunctionKind Kind, string Name, EquatableArray<ParameterModel> Parameters, bool ReturnsBool, bool IsRaw,
    bool CannotThrow, bool IsOverloaded)
{
    public bool Takes(Role role) => Parameters.Any(p => p.Role == role);
}
