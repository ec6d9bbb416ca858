namespace Faster;

/// <summary>
/// Marks the method that makes an updated copy of a value: <c>static void F(key, [input,] oldValue, ref newValue)</c>.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CopyUpdaterAttribute : Attribute;
