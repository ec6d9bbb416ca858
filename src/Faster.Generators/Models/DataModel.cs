namespace Faster.Generators.Models;

/// <summary>How keys or values lie in a record.</summary>
internal enum DataKind
{
    /// <summary>The bytes of an unmanaged type.</summary>
    Unmanaged,

    /// <summary>Bytes of any length; user functions see spans.</summary>
    Bytes,

    /// <summary>A string, as UTF-8.</summary>
    Text,

    /// <summary>Any other type, as JSON by the user's serializer context.</summary>
    Serialized,
}

/// <summary>The type of a store's keys or values.</summary>
/// <param name="Kind">How they lie in a record.</param>
/// <param name="Type">The C# type, fully qualified, that sessions and user functions name.</param>
/// <param name="IsReference">Whether the type is a reference type.</param>
/// <param name="IsWord">Whether the type is a primitive or enum of 1, 2, 4 or 8 bytes.</param>
/// <param name="SchemaName">What the record schema calls the type.</param>
/// <param name="Layout">What the bytes mean: the encoding, or the fields in order.</param>
internal sealed record DataModel(
    DataKind Kind, string Type, bool IsReference, bool IsWord, string SchemaName, string Layout)
{
    /// <summary>Whether the type is turned into bytes and back around user functions.</summary>
    public bool IsEncoded => Kind is DataKind.Text or DataKind.Serialized;
}

/// <summary>How an input reaches a user function.</summary>
internal enum InputKind
{
    /// <summary>As a value of its type.</summary>
    Typed,

    /// <summary>As a <c>ReadOnlySpan&lt;byte&gt;</c>.</summary>
    Bytes,

    /// <summary>As a <c>ReadOnlySpan&lt;char&gt;</c>.</summary>
    Chars,
}

/// <summary>The type of a reader's or updater's input, of an output or of a context.</summary>
/// <param name="Kind">How it reaches a user function.</param>
/// <param name="Type">The C# type, fully qualified.</param>
/// <param name="IsReference">Whether it is a reference type that is not annotated as nullable.</param>
internal sealed record OperandModel(InputKind Kind, string Type, bool IsReference);
