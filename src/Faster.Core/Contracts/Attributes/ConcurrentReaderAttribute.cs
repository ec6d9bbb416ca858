namespace Faster;

/// <summary>
/// Reads a value in the mutable region; same shape as the single reader, which stands in where this is left out.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentReaderAttribute : Attribute;
