namespace Faster;

/// <summary>
/// Reads a value that nobody changes meanwhile: <c>static void F(key, [input,] value, out/ref output)</c> (paper 000
/// App. E).
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SingleReaderAttribute : Attribute;
