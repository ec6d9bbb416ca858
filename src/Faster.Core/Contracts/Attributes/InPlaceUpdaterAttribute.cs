namespace Faster;

/// <summary>
/// Updates a value in place: <c>static void/bool F(key, [input,] ref value)</c>; false means that it does not fit.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class InPlaceUpdaterAttribute : Attribute;
