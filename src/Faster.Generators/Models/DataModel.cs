namespace Faster.Generators.Models;

/// <summary>Specifies how keys or values are stored in a record.</summary>
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
/// <param name="Kind">How they are stored in a record.</param>
/// <param name="Type">The C# type, fully qualified, that sessions and user functions name.</param>
/// <param name="IsReference">Whether the type is a reference type.</param>
/// <param name="IsWord">Whether the type is a primitive or enum of 1, 2, 4 or 8 bytes.</param>
/// <param name="SchemaName">The name of the type in the record schema.</param>
/// <param name="Layout">The meaning of the bytes: the encoding, or the fields in order.</param>
internal sealed record DataModel(
    DataKind Kind, string Type, bool IsReference, bool IsWord, string SchemaName, string Layout)
{
    /// <summary>Whether values are encoded and decoded around user functions.</summary>
    public bool IsEncoded => Kind is DataKind.Text or DataKind.Serialized;
}

/// <summary>Specifies how an input is passed to a user function.</summary>
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
/// <param name="Kind">How it is passed to a user function.</param>
/// <param name="Type">The C# type, fully qualified.</param>
/// <param name="IsReference">Whether it is a reference type that is not annotated as nullable.</param>
internal sealed record OperandModel(InputKind Kind, string Type, bool IsReference);
