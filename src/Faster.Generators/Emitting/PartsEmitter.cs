using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the class of helpers: the merger of the store's schema, and for each user function whose name other methods
/// have as well, a method that calls it.
/// </summary>
/// <remarks>
/// The arguments of such a call are parameters of exactly the function's own types and modifiers, so that no overload
/// is better: the identity conversion beats all others, and of several methods with it the one wins that is not
/// generic, has no further parameters, and takes by value what is passed by value. Only an overload with a higher
/// <c>OverloadResolutionPriority</c> would win, which the parser refuses.
/// </remarks>
internal static class PartsEmitter
{
    public static void Emit(IndentedWriter writer, StoreModel store)
    {
        FunctionModel[] overloaded = [.. store.Functions.Where(static f => f.IsOverloaded)];
        if (store.Merger is null && overloaded.Length == 0) return;
        writer.Lines("/// <summary>What other emitted types call.</summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open("private static class Parts");
        if (store.Merger is { } merger) MergeBody.EmitAlone(writer, store, merger);
        foreach (FunctionModel function in overloaded)
        {
            Exact(
                writer, store, $"{function.Kind}", function.Name, function.ReturnsBool, function.Parameters);
        }
    }

    /// <summary>Writes a method that calls one of several methods of a name.</summary>
    /// <param name="writer">Receives it.</param>
    /// <param name="store">The store.</param>
    /// <param name="name">The name of the written method.</param>
    /// <param name="called">The name of the called method.</param>
    /// <param name="returnsBool">Whether it returns bool and not void.</param>
    /// <param name="all">Its parameters.</param>
    public static void Exact(
        IndentedWriter writer, StoreModel store, string name, string called, bool returnsBool,
        IEnumerable<ParameterModel> all)
    {
        IEnumerable<string> parameters = all.Select(static (p, i) => $"{p.Type} p{i}");
        IEnumerable<string> arguments = all.Select(static (p, i) => p.Passing switch
        {
            Passing.In => $"in p{i}",
            Passing.Ref => $"ref p{i}",
            Passing.Out => $"out p{i}",
            _ => $"p{i}",
        });
        string returned = returnsBool ? "bool" : "void";
        writer.Lines("// Calls the marked method, whatever overloads it has.");
        writer.Lines(Names.Inlined);
        writer.Lines($"public static {returned} {name}({string.Join(", ", parameters)}) =>");
        writer.Lines($"    {store.FullName}.{called}({string.Join(", ", arguments)});");
        writer.Blank();
    }
}
