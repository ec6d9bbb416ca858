namespace Faster;

/// <summary>
/// Marks the method that writes a new record's value on an upsert: <c>static void F(key, newValue, ref value)</c>.
/// Default: plain copy.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SingleWriterAttribute : Attribute;
