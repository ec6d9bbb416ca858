using Faster.Generators.Models;
using Microsoft.CodeAnalysis.CSharp;

namespace Faster.Generators.Emitting;

/// <summary>Writes the record schema and the methods that open a store: what its engine has of them.</summary>
internal static class OpenEmitter
{
    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        Schema(writer, store);
        if (store.Engine.Has(Capabilities.Folder)) InFolder(writer, store);
        else InMemory(writer, store);
        if (store.Engine.Has(Capabilities.Commits)) CommitEmitter.Recover(writer, store);
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

    private static void InFolder(IndentedWriter writer, StoreModel store)
    {
        EngineModel engine = store.Engine;
        (string state, string memory) = engine.Has(Capabilities.Commits)
            ? ("the state of its last commit, or empty if there is no commit", " and cannot commit")
            : ("the state in which it was left, or empty if it is new", "");
        writer.Lines($$"""
            /// <summary>
            /// Opens the store in a folder, in {{state}}.
            /// </summary>
            /// <param name="path">
            /// The folder, or null for a store that is kept in memory only{{memory}}.
            /// </param>
            /// <param name="options">The options, or null for the defaults.</param>
            /// <param name="cancellationToken">Cancels the opening.</param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">An option is out of range.</exception>
            /// <exception cref="{{Names.Faster}}.StoreOpenException">
            /// The folder cannot be used, or the options conflict; the message says why.
            /// </exception>
            /// <exception cref="{{Names.Faster}}.DamagedDataException">
            /// Data in the folder is damaged; the message names the file and the byte offset.
            /// </exception>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static async {{Names.Task("Store")}} OpenAsync(
                string? path,
                {{engine.Options}}? options = null,
                {{Names.Token}} cancellationToken = default)
            {
                {{engine.Store}} engine =
                    await {{engine.Store}}
                    .OpenAsync(path, options ?? new {{engine.Options}}(), Schema, cancellationToken)
                    .ConfigureAwait(false);
                return new Store(engine);
            }
            """);
        writer.Blank();
    }

    private static void InMemory(IndentedWriter writer, StoreModel store)
    {
        EngineModel engine = store.Engine;
        writer.Lines($$"""
            /// <summary>Opens an empty store, which is kept in memory only.</summary>
            /// <param name="options">The options, or null for the defaults.</param>
            /// <param name="cancellationToken">Cancels the opening.</param>
            /// <exception cref="global::System.ArgumentOutOfRangeException">An option is out of range.</exception>
            /// <exception cref="{{Names.Faster}}.StoreOpenException">
            /// The options conflict; the message says why.
            /// </exception>
            {{Names.GeneratedCode}}
            {{store.Accessibility}} static async {{Names.Task("Store")}} OpenAsync(
                {{engine.Options}}? options = null,
                {{Names.Token}} cancellationToken = default)
            {
                {{engine.Store}} engine =
                    await {{engine.Store}}
                    .OpenAsync(options ?? new {{engine.Options}}(), Schema, cancellationToken)
                    .ConfigureAwait(false);
                return new Store(engine);
            }
            """);
        writer.Blank();
    }

    private static string Literal(string text) => SymbolDisplay.FormatLiteral(text, quote: true);

    private static string Size(DataModel data) =>
        data.Kind == DataKind.Unmanaged ? $"{Names.Unsafe}.SizeOf<{data.Type}>()" : "0";
}
