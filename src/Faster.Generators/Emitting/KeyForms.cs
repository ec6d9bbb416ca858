using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>The forms of a store's key in emitted code.</summary>
internal static class KeyForms
{
    /// <summary>Returns the engine's type of the key.</summary>
    public static string EngineType(DataModel key) => key.Kind == DataKind.Unmanaged
        ? $"{Names.Contracts}.UnmanagedKey<{key.Type}>"
        : $"{Names.Contracts}.BytesKey";

    /// <summary>Returns the type of a session method's parameter.</summary>
    public static string ParameterType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Bytes : key.Type;

    /// <summary>Returns the type of an operation's field.</summary>
    public static string FieldType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Pinned : key.Type;

    /// <summary>Returns the item type of a batch.</summary>
    public static string BatchType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Memory : key.Type;

    /// <summary>Returns the key as a user function takes it, inside the operation.</summary>
    public static string Argument(DataModel key) => key.Kind == DataKind.Bytes ? "Key.Span" : "Key";

    /// <summary>Returns the codec that encodes keys.</summary>
    public static string Codec(DataModel data, string nested) => data.Kind == DataKind.Text ? Names.Utf8 : nested;

    /// <summary>Returns the key as it is passed to the engine.</summary>
    public static string Engine(DataModel key) => key.Kind switch
    {
        DataKind.Unmanaged or DataKind.Bytes => $"new {EngineType(key)}(key)",
        _ => $"new {EngineType(key)}(keyBytes.Buffer.Written)",
    };
}
