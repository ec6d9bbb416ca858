namespace Faster;

/// <summary>
/// Marks the method that is called when an operation that returned <see cref="Status.Pending"/> is done. It takes any
/// of <c>context</c>, <c>status</c>, <c>output</c> and <c>error</c> (an <see cref="Exception"/> or null), identified by
/// type, in any order.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CompletionCallbackAttribute : Attribute;
