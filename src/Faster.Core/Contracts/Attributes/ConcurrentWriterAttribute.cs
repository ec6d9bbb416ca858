namespace Faster;

/// <summary>
/// Overwrites a value in the mutable region on an upsert: <c>static void/bool F(key, newValue, ref value)</c>.
/// Default: the single writer.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentWriterAttribute : Attribute;
