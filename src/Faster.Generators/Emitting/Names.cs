namespace Faster.Generators.Emitting;

/// <summary>Names of types in emitted code, fully qualified so that no user code can shadow them.</summary>
internal static class Names
{
    public const string Faster = "global::Faster";
    public const string Contracts = "global::Faster.Contracts";
    public const string Status = "global::Faster.Status";
    public const string Atomic = "global::Faster.Contracts.AtomicValue";
    public const string Pinned = "global::Faster.Contracts.PinnedBytes";
    public const string Scratch = "global::Faster.Contracts.ScratchBuffer";
    public const string Utf8 = "global::Faster.Contracts.Utf8Codec";
    public const string Json = "global::Faster.Contracts.JsonCodec";
    public const string Slot = "global::Faster.ValueSlot";
    public const string Buffer = "global::Faster.Contracts.ValueBuffer";
    public const string Exception = "global::System.Exception";
    public const string Marshal = "global::System.Runtime.InteropServices.MemoryMarshal";
    public const string Unsafe = "global::System.Runtime.CompilerServices.Unsafe";
    public const string Inlined =
        "[global::System.Runtime.CompilerServices.MethodImpl("
        + "global::System.Runtime.CompilerServices.MethodImplOptions.AggressiveInlining)]";
    public const string Bytes = "global::System.ReadOnlySpan<byte>";
    public const string Memory = "global::System.ReadOnlyMemory<byte>";
    public const string Token = "global::System.Threading.CancellationToken";

    /// <summary>The attribute on every emitted type, with the version of the generator's assembly.</summary>
    public static readonly string GeneratedCode =
        "[global::System.CodeDom.Compiler.GeneratedCode(\"Faster.Generators\", "
        + $"\"{typeof(Names).Assembly.GetName().Version.ToString(fieldCount: 3)}\")]";

    public static string Span(string type) => $"global::System.ReadOnlySpan<{type}>";

    public static string Task(string type) => $"global::System.Threading.Tasks.ValueTask<{type}>";

    public static string Rmw(string output) => $"global::Faster.RmwResult<{output}>";

    public static string Read(string output) => $"global::Faster.ReadResult<{output}>";
}
