namespace Faster;

/// <summary>Reads a value that nobody changes meanwhile: <c>static void F(key, [input,] value, out/ref output)</c> (paper 000 App. E).</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SingleReaderAttribute : Attribute;

/// <summary>Reads a value in the mutable region; same shape as the single reader, which stands in where this is left out.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentReaderAttribute : Attribute;

/// <summary>Writes a new record's value on an upsert: <c>static void F(key, newValue, ref value)</c>. Default: plain copy.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SingleWriterAttribute : Attribute;

/// <summary>Overwrites a value in the mutable region on an upsert: <c>static void/bool F(key, newValue, ref value)</c>. Default: the single writer.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ConcurrentWriterAttribute : Attribute;

/// <summary>Makes a key's first value on a read-modify-write: <c>static void F(key, [input,] ref value)</c>.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class InitialUpdaterAttribute : Attribute;

/// <summary>Updates a value in place: <c>static void/bool F(key, [input,] ref value)</c>; false means that it does not fit.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class InPlaceUpdaterAttribute : Attribute;

/// <summary>Makes an updated copy of a value: <c>static void F(key, [input,] oldValue, ref newValue)</c>.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CopyUpdaterAttribute : Attribute;

/// <summary>
/// Is told when an operation that returned <see cref="Status.Pending"/> is done: any of <c>context</c>, <c>status</c>,
/// <c>output</c> and <c>error</c> (an <see cref="Exception"/> or null), by type, in any order.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CompletionCallbackAttribute : Attribute;
