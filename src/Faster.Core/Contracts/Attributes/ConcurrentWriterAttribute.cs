namespace Faster;

/// <summary>
/// Marks the method that overwrites a value in the mutable region on an upsert: <c>static void/bool F(key, newValue,
/// ref value)</c>; false means that the new value does not fit. Default: the single writer.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentWriterAttribute : Attribute;
