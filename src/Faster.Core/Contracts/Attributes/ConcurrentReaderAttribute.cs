namespace Faster;

/// <summary>
/// Marks the method that reads a value in the mutable region. It has the same shape as the single reader, which is used
/// if this method is omitted.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentReaderAttribute : Attribute;
