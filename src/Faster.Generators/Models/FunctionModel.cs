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

/// <summary>What a parameter of a user function is for.</summary>
internal enum Role
{
    Key,
    Input,

    /// <summary>
    /// The value that is only read: a reader's, a writer's new one, a copy updater's old one, a merger's older one.
    /// </summary>
    Source,

    /// <summary>The newer of the two that a merger of bytes reads.</summary>
    Newer,

    /// <summary>The value that is written.</summary>
    Target,
    Output,
    Context,
    Status,
    Error,
}

/// <summary>How an argument is passed.</summary>
internal enum Passing
{
    /// <summary>By value, or by a read-only reference that needs no word at the call.</summary>
    Plain,
    Ref,
    Out,
}

/// <summary>One parameter.</summary>
internal sealed record ParameterModel(Role Role, Passing Passing);

/// <summary>One user function.</summary>
/// <param name="Kind">Which of them it is.</param>
/// <param name="Name">The method's name, escaped where it is a keyword.</param>
/// <param name="Parameters">Its parameters in order.</param>
/// <param name="ReturnsBool">Whether it may say that a value does not fit.</param>
/// <param name="IsRaw">Whether it works on the value's bytes rather than on a typed value.</param>
internal sealed record FunctionModel(
    FunctionKind Kind, string Name, EquatableArray<ParameterModel> Parameters, bool ReturnsBool, bool IsRaw)
{
    public bool Takes(Role role) => Parameters.Any(p => p.Role == role);
}
