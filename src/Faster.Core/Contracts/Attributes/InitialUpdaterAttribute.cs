namespace Faster;

/// <summary>
/// Marks the method that makes a key's first value on a read-modify-write: <c>static void F(key, [input,] ref
/// value)</c>.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class InitialUpdaterAttribute : Attribute;
