using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>A store's key, in all the places it passes.</summary>
internal static class KeyForms
{
    /// <summary>The engine's type.</summary>
    public static string EngineType(DataModel key) => key.Kind == DataKind.Unmanaged
        ? $"{Names.Contracts}.UnmanagedKey<{key.Type}>"
        : $"{Names.Contracts}.BytesKey";

    /// <summary>The type of a session's parameter.</summary>
    public static string ParameterType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Bytes : key.Type;

    /// <summary>The type of an operation's field.</summary>
    public static string FieldType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Pinned : key.Type;

    /// <summary>The item type of a batch.</summary>
    public static string BatchType(DataModel key) => key.Kind == DataKind.Bytes ? Names.Memory : key.Type;

    /// <summary>The key as a user function takes it, inside the operation.</summary>
    public static string Argument(DataModel key) => key.Kind == DataKind.Bytes ? "Key.Span" : "Key";

    /// <summary>What turns keys into bytes.</summary>
    public static string Codec(DataModel data, string nested) => data.Kind == DataKind.Text ? Names.Utf8 : nested;

    /// <summary>A key on its way into the engine.</summary>
    public static string Engine(DataModel key) => key.Kind switch
    {
        DataKind.Unmanaged or DataKind.Bytes => $"new {EngineType(key)}(key)",
        _ => $"new {EngineType(key)}(keyBytes.Buffer.Written)",
    };
}
