using Faster.Generators.Diagnostics;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>Checks the annotated class itself: its modifiers, what it is nested in, its members' names.</summary>
internal static class StoreFrame
{
    private static readonly string[] Reserved =
    [
        "Store", "Session", "Record", "OpenAsync", "Schema", "KeyCodec", "ValueCodec", "ReadOperation",
        "UpsertOperation", "RmwOperation", "DeleteOperation", "ReadBatch", "UpsertBatch", "RmwBatch", "DeleteBatch",
    ];

    public static bool Check(INamedTypeSymbol store, Action<Diagnostic> report, CancellationToken cancellationToken)
    {
        Location at = KnownTypes.LocationOf(store);
        bool isSound = true;
        if (!store.IsStatic || !IsPartial(store, cancellationToken))
        {
            report(Diagnostic.Create(Descriptors.NotStaticPartial, at, store.Name));
            isSound = false;
        }

        for (INamedTypeSymbol? type = store; type is not null; type = type.ContainingType)
        {
            string? why = type.Arity > 0 ? $"'{type.Name}' is generic"
                : IsPartial(type, cancellationToken) || type.Equals(store, SymbolEqualityComparer.Default) ? null
                : $"it lies in '{type.Name}', which is not partial";
            if (why is null) continue;
            report(Diagnostic.Create(Descriptors.BadNesting, at, store.Name, why));
            isSound = false;
        }

        foreach (string name in Reserved)
        {
            if (store.GetMembers(name).FirstOrDefault(m => !IsEmitted(m)) is not { } member) continue;
            report(Diagnostic.Create(Descriptors.NameTaken, KnownTypes.LocationOf(member), store.Name, name));
            isSound = false;
        }

        return isSound;
    }

    /// <summary>The headers of the enclosing types, outermost first.</summary>
    public static EquatableArray<string> Containers(INamedTypeSymbol store)
    {
        var headers = new List<string>();
        for (INamedTypeSymbol? type = store.ContainingType; type is not null; type = type.ContainingType)
        {
            string keyword = (type.TypeKind, type.IsRecord) switch
            {
                (TypeKind.Struct, true) => "record struct",
                (TypeKind.Struct, false) => type.IsRefLikeType ? "ref struct" : "struct",
                (TypeKind.Interface, _) => "interface",
                (_, true) => "record",
                _ => "class",
            };
            string modifiers = type.IsRefLikeType ? "ref partial struct" : $"partial {keyword}";
            headers.Insert(0, $"{modifiers} {Escape(type.Name)}");
        }

        return new EquatableArray<string>(headers);
    }

    public static string Escape(string name) =>
        SyntaxFacts.GetKeywordKind(name) != SyntaxKind.None ? "@" + name : name;

    // The analyzer sees the class with what the generator has added.
    private static bool IsEmitted(ISymbol member) =>
        member.FindAttribute("System.CodeDom.Compiler.GeneratedCodeAttribute")
            ?.ConstructorArguments.FirstOrDefault().Value is "Faster.Generators";

    private static bool IsPartial(INamedTypeSymbol type, CancellationToken cancellationToken) =>
        type.DeclaringSyntaxReferences.Any(r => r.GetSyntax(cancellationToken) is TypeDeclarationSyntax declaration
            && declaration.Modifiers.Any(SyntaxKind.PartialKeyword));
}
