using Faster.Generators.Diagnostics;
using Faster.Generators.Emitting;
using Faster.Generators.Models;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Faster.Generators.Parsing;

/// <summary>
/// Checks the annotated class itself: its modifiers, its containing types, and the names of its members.
/// </summary>
internal static class StoreFrame
{
    private static readonly string[] Reserved =
    [
        "Store", "Session", "IStore", "ISession", "ICommittingStore", "Record", "OpenAsync", "RecoverAsync", "Schema",
        "Parts", "KeyCodec", "ValueCodec", "ReadOperation", "UpsertOperation", "RmwOperation", "DeleteOperation",
        "ReadBatch", "UpsertBatch",
        "RmwBatch", "RmwStatusBatch", "DeleteBatch", TransactionEmitter.Parts,
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
                : type.IsFileLocal ? $"'{type.Name}' is file-local, and the generator emits to another file"
                : IsPartial(type, cancellationToken) || type.Equals(store, SymbolEqualityComparer.Default) ? null
                : $"it is nested in '{type.Name}', which is not partial";
            if (why is null) continue;
            report(Diagnostic.Create(Descriptors.BadNesting, at, store.Name, why));
            isSound = false;
        }

        if (!IsNewEnough(store))
        {
            report(Diagnostic.Create(Descriptors.OldLanguage, at, store.Name, MinVersion.ToDisplayString()));
            isSound = false;
        }

        if (Reserved.Contains(store.Name))
        {
            report(Diagnostic.Create(Descriptors.NameTaken, at, store.Name));
            isSound = false;
        }

        isSound &= CheckNames(store, Reserved, report);

        foreach (IdentifierNameSyntax name in HiddenNames.In(store, Reserved, cancellationToken))
        {
            report(Diagnostic.Create(
                Descriptors.NameHidden, name.GetLocation(), name.Identifier.Text, store.Name));
            isSound = false;
        }

        return isSound;
    }

    /// <summary>Reports members that have the names of emitted ones.</summary>
    /// <returns>Whether there are none.</returns>
    public static bool CheckNames(
        INamedTypeSymbol store, IEnumerable<string> names, Action<Diagnostic> report)
    {
        bool areFree = true;
        foreach (string name in names)
        {
            if (store.GetMembers(name).FirstOrDefault(m => !IsEmitted(m)) is not { } member) continue;
            report(Diagnostic.Create(Descriptors.NameTaken, KnownTypes.LocationOf(member), name));
            areFree = false;
        }

        return areFree;
    }

    /// <summary>Returns the headers of the containing types, outermost first.</summary>
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

    /// <summary>
    /// Returns the name of the emitted file, without characters that file systems or the compiler reject.
    /// </summary>
    public static string HintName(INamedTypeSymbol store)
    {
        const int most = 100;
        string full = store.ToDisplayString(KnownTypes.Plain);
        string name = new([.. full.Select(static c => char.IsLetterOrDigit(c) || c is '.' or '_' ? c : '_')]);
        string cut = name.Substring(0, Math.Min(name.Length, most));
        return cut == full ? full : WithHash(cut, full);
    }

    /// <summary>Returns a name that a hash makes unique.</summary>
    public static string WithHash(string name, string full)
    {
        ulong hash = 14695981039346656037; // FNV-1a: the same in each run of the compiler, unlike GetHashCode
        foreach (char c in full) hash = unchecked((hash ^ c) * 1099511628211);
        return $"{name}-{hash:x16}";
    }

    /// <summary>Returns a name, escaped if it is a keyword.</summary>
    public static string Escape(string name) =>
        SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None
        && SyntaxFacts.GetContextualKeywordKind(name) == SyntaxKind.None ? name : "@" + name;

    // Ref structs with interfaces, which batches are, need this version.
    private const LanguageVersion MinVersion = LanguageVersion.CSharp13;

    private static bool IsNewEnough(INamedTypeSymbol store) => store.DeclaringSyntaxReferences
        .All(r => r.SyntaxTree.Options is not CSharpParseOptions { LanguageVersion: < MinVersion });

    /// <summary>Returns whether the generator has added a member; analyzers see emitted members too.</summary>
    public static bool IsEmitted(ISymbol member) =>
        member.FindAttribute("System.CodeDom.Compiler.GeneratedCodeAttribute")
            ?.ConstructorArguments.FirstOrDefault().Value is "Faster.Generators";

    private static bool IsPartial(INamedTypeSymbol type, CancellationToken cancellationToken) =>
        type.DeclaringSyntaxReferences.Any(r => r.GetSyntax(cancellationToken) is TypeDeclarationSyntax declaration
            && declaration.Modifiers.Any(SyntaxKind.PartialKeyword));
}
