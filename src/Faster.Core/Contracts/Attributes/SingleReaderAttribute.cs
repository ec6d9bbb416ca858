namespace Faster;

/// <summary>
/// Marks the method that reads a value that no other thread changes during the call: <c>static void F(key, [input,]
/// value, out/ref output)</c> (paper 000 App. E).
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SingleReaderAttribute : Attribute;
