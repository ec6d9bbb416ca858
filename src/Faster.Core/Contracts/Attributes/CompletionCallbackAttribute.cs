namespace Faster;

/// <summary>
/// Is told when an operation that returned <see cref="Status.Pending"/> is done: any of <c>context</c>, <c>status</c>,
/// <c>output</c> and <c>error</c> (an <see cref="Exception"/> or null), by type, in any order.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CompletionCallbackAttribute : Attribute;
