using Faster.Generators.Models;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Emitting;

/// <summary>Writes the record schema and the methods that open a store: what its engine has of them.</summary>
internal static class OpenEmitter
{
    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        Schema(writer, store);
        Open(writer, store);
    }

    /// <summary>
    /// Writes the methods that open a store of an engine: in its class, but those of the first engine around it.
    /// </summary>
    public static void Open(IndentedWriter writer, StoreModel store)
    {
        OpenOrMake(writer, store);
        if (store.Engine.Has(Capabilities.Commits)) Recover(writer, store);
    }

    private static void Schema(IndentedWriter writer, StoreModel store)
    {
        string merger = store.Merger is null ? "" : "\n    Merger = Parts.Merge,";
        writer.Lines($$"""
            {{Names.GeneratedCode}}
            private static {{Names.Contracts}}.RecordSchema Schema => new(
                KeySlotSize: {{KeyForms.EngineType(store.Key)}}.FixedSlotSize,
                KeySize: {{Size(store.Key)}},
                ValueSize: {{Size(store.Value)}},
                KeyType: {{Literal(store.Key.SchemaName)}},
                ValueType: {{Literal(store.Value.SchemaName)}})
            {
                KeyLayout = {{Literal(store.Key.Layout)}},
                ValueLayout = {{Literal(store.Value.Layout)}},{{merger}}
            };
            """);
        writer.Blank();
    }

    private static void OpenOrMake(IndentedWriter writer, StoreModel store)
    {
        EngineModel engine = store.Engine;
        bool hasFolder = engine.Has(Capabilities.Folder);
        string path = hasFolder ? "\n    string? path," : "";
        writer.Lines($$"""
            /// <inheritdoc cref="{{engine.Name}}.OpenAsync"/>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static {{Names.Task(engine.StoreName)}} OpenAsync({{path}}
                {{engine.Options}}? options = null,
                {{Names.Token}} cancellationToken = default) =>
                {{Call(store, "OpenAsync", hasFolder ? "path" : null, "options", hasFolder ? "null" : null)}};
            """);
        writer.Blank();
    }

    private static void Recover(IndentedWriter writer, StoreModel store)
    {
        EngineModel engine = store.Engine;
        writer.Lines($$"""
            /// <inheritdoc cref="{{engine.Name}}.RecoverAsync"/>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static {{Names.Task(engine.StoreName)}} RecoverAsync(
                string path,
                {{engine.Options}}? options = null,
                global::System.IProgress<{{Names.Faster}}.RecoveryProgress>? progress = null,
                {{Names.Token}} cancellationToken = default) =>
                {{Call(store, "RecoverAsync", "path", "options", "progress")}};
            """);
        writer.Blank();
    }

    /// <summary>Writes the members by which a host opens the store, whatever its engine.</summary>
    public static void Hosted(IndentedWriter writer, StoreModel store)
    {
        EngineModel engine = store.Engine;
        string contract = $"{Names.Contracts}.IHostedStore<{engine.StoreName}, {engine.SessionName}>";
        bool hasFolder = engine.Has(Capabilities.Folder);
        writer.Lines($"static {Names.Faster}.EngineOptions {contract}.DefaultOptions => new {engine.Options}();");
        writer.Blank();
        string header = $"static {Names.Task(engine.StoreName)} {contract}.OpenAsync(\n"
            + $"    string? path, {Names.Faster}.EngineOptions? options,\n"
            + $"    global::System.IProgress<{Names.Faster}.RecoveryProgress>? progress,\n"
            + $"    {Names.Token} cancellationToken)";
        using (writer.Open(header))
        {
            if (!hasFolder) writer.Lines($"{Names.Contracts}.HostedStore.ThrowIfPath(path);");
            string own = $"{Names.Contracts}.HostedStore.OptionsOf<{engine.Options}>(options)";
            writer.Lines($"{engine.Options}? own = {own};");
            string call = Call(
                store, "OpenAsync", hasFolder ? "path" : null, "own", hasFolder ? "progress" : null, isInBody: true);
            writer.Lines($"return {call};");
        }

        writer.Lines($"{engine.SessionName} {contract}.StartSession() => StartSession();");
        writer.Blank();
    }

    // A call of the method of the engine that opens a store; it has what a path needs only where there is one.
    private static string Call(
        StoreModel store, string method, string? path, string options, string? progress, bool isInBody = false)
    {
        EngineModel engine = store.Engine;
        // In the store an inherited member may be nearer than the schema of the class around it.
        string schema = isInBody || engine.Prefix.Length > 0 ? $"{store.FullName}.Schema" : "Schema";
        string made = $"static start => new {engine.StoreName}(start)";
        string?[] arguments = [path, options, schema, made, progress, "cancellationToken"];
        string indent = isInBody ? "    " : "        ";
        return $"{engine.Name}.{method}(\n{indent}{string.Join(", ", arguments.Where(static a => a is not null))})";
    }

    private static string Literal(string text) => SymbolDisplay.FormatLiteral(text, quote: true);

    private static string Size(DataModel data) =>
        data.Kind == DataKind.Unmanaged ? $"{Names.Unsafe}.SizeOf<{data.Type}>()" : "0";
}
