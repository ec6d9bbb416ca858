namespace Faster;

/// <summary>
/// Marks the method that updates a value in place: <c>static void/bool F(key, [input,] ref value)</c>; false means that
/// the new value does not fit.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class InPlaceUpdaterAttribute : Attribute;
