using Microsoft.CodeAnalysis;

namespace Faster.Generators.Diagnostics;

/// <summary>
/// All diagnostics. Each has a help page in docs/reference/diagnostics, whose text is also the description that editors
/// show. There is no help link: editors open absolute addresses only, and the page has none.
/// </summary>
internal static class Descriptors
{
    /// <summary>The tag of errors that a code fix can correct.</summary>
    public const string HasCodeFix = nameof(HasCodeFix);

    private const string Category = "Faster";

    public static readonly DiagnosticDescriptor NotStaticPartial = Error("FAS001",
        "A store must be a static partial class",
        "'{0}' must be declared 'static partial class', so that the generator can add its store and session",
        HasCodeFix);

    public static readonly DiagnosticDescriptor BadNesting = Error("FAS002",
        "A store must not be generic, or nested in a generic or non-partial type",
        "'{0}' can't be a store: {1}");

    public static readonly DiagnosticDescriptor UnknownType = Error("FAS003",
        "A store's key or value type cannot be inferred",
        "The {1} type of '{0}' cannot be inferred: let a function take the {1}, or write [Store({2} = typeof(...))]");

    public static readonly DiagnosticDescriptor InconsistentType = Error("FAS004",
        "The functions of a store disagree about a type",
        "The {1} of '{0}' is {2} here, but {3} elsewhere in the store");

    public static readonly DiagnosticDescriptor WrongSignature = Error("FAS005",
        "A user function has the wrong signature",
        "'{0}' has the wrong signature for the {1}: {2}. Write it as '{3}'.");

    public static readonly DiagnosticDescriptor MissingFunction = Error("FAS006",
        "A user function is missing and has no evident default",
        "'{0}' needs a method marked [{1}]: {2}");

    public static readonly DiagnosticDescriptor DuplicateFunction = Error("FAS007",
        "A store has two functions of one kind",
        "'{0}' has more than one [{1}]; a store has one function of each kind");

    public static readonly DiagnosticDescriptor NoSerializer = Error("FAS008",
        "No serializer for a key or value type",
        "'{0}' is neither unmanaged nor bytes nor a string: {1}",
        HasCodeFix);

    public static readonly DiagnosticDescriptor KeyPadding = Warning("FAS009",
        "A key type has padding bytes",
        "The key type '{0}' has padding bytes between or after its fields; keys are compared by their bytes, and "
        + "padding has unspecified content");

    public static readonly DiagnosticDescriptor KeyFloat = Warning("FAS010",
        "A key type has a floating-point field",
        "The key type '{0}' has floating-point fields; keys are compared by their bytes, so 0.0 and -0.0 differ");

    public static readonly DiagnosticDescriptor BadFunction = Error("FAS011",
        "A user function must be a plain static method",
        "'{0}' can't be the {1}: it is {2}");

    public static readonly DiagnosticDescriptor NameTaken = Error("FAS012",
        "A store, or a member of it, has a name that the generator needs",
        "'{0}' is a name that the generator adds to the store; rename it");

    public static readonly DiagnosticDescriptor NameHidden = Error("FAS019",
        "A type has the name of a member that the generator adds",
        "Inside '{1}', '{0}' refers to a member that the generator adds: qualify your own with its namespace or type, "
        + "or rename it; for the added one, write '{1}.{0}'");

    public static readonly DiagnosticDescriptor UnusableType = Error("FAS013",
        "A type can't be used in a store",
        "'{0}' can't be the {1} type of a store: {2}");

    public static readonly DiagnosticDescriptor NotInStore = Warning("FAS014",
        "A function attribute outside a store has no effect",
        "'{0}' is marked [{1}], but '{2}' is not marked [Store]");

    public static readonly DiagnosticDescriptor MisleadingName = Error("FAS015",
        "A parameter's name contradicts its role or leaves it ambiguous",
        "'{0}' {1}. A correct {2} is '{3}'.",
        HasCodeFix);

    public static readonly DiagnosticDescriptor KeyEquality = Warning("FAS016",
        "A key type's equality differs from the equality of its bytes",
        "Keys are compared by their bytes, but equal values of '{0}' may have different bytes: {1}");

    public static readonly DiagnosticDescriptor LargeStruct = Warning("FAS017",
        "A struct is too large for the stack",
        "'{0}' has {1} bytes, and operations copy it on the stack, which may overflow above {2} bytes; make it a "
        + "byte[] or a class");

    public static readonly DiagnosticDescriptor OldLanguage = Error("FAS018",
        "The project's C# version is too old",
        "The store '{0}' needs C# {1} or later: raise <LangVersion>, or remove it");

    public static readonly DiagnosticDescriptor NotOffered = Error("FAS020",
        "An engine can't do what a store asks for",
        "The engine '{0}' {1}, so a store on it has no [{2}]; engines that can: {3}");

    public static readonly DiagnosticDescriptor NotAnEngine = Error("FAS021",
        "A type is not an engine",
        "'{0}' is not an engine: name a class with [Engine], whose store and session can be derived from; the library "
        + "has {1}");

    public static readonly DiagnosticDescriptor EngineTwice = Error("FAS024",
        "An engine is named twice",
        "The engine '{0}' is named twice, or another one of its name: each gives '{1}' a store of that name");

    public static readonly DiagnosticDescriptor MissingOutput = Error("FAS022",
        "An updater lacks the output that another updater has",
        "'{0}' ([{1}]) lacks the output '{2}' of '{3}': any updater may run, so all have the output or none has");

    public static readonly DiagnosticDescriptor MergedOutput = Error("FAS023",
        "A store that merges deltas can't return outputs of updates",
        "'{0}' has the output '{1}', but the store has a [Merger]: an update that appends a delta does not know the "
        + "value; remove the output, or the merger");

    public static readonly DiagnosticDescriptor BadTransaction = Error("FAS025",
        "A transaction must be a plain static method that returns void or bool",
        "'{0}' can't be a transaction: it is {1}");

    public static readonly DiagnosticDescriptor TransactionRecord = Error("FAS026",
        "A record of a transaction has the wrong type",
        "'{0}' can't be a record of the transaction '{1}': {2}",
        HasCodeFix);

    public static readonly DiagnosticDescriptor TransactionParameters = Error("FAS027",
        "The parameters of a transaction do not fit together",
        "'{0}' can't be a transaction: {1}");

    public static readonly DiagnosticDescriptor CaughtConflict = Warning("FAS028",
        "A transaction may catch the conflict that ends it",
        "This clause may catch the conflict by which the store ends '{0}' in order to run it again: name the "
        + "exceptions that the method expects");

    public static readonly DiagnosticDescriptor Fixable = Make("FAS100",
        "A code fix corrects an error of the generator",
        "A code fix corrects this error: {0}",
        DiagnosticSeverity.Hidden);

    public static readonly DiagnosticDescriptor IgnoredStatus = Warning("FAS101",
        "A status is ignored",
        "The status of '{0}' is ignored; the operation may be pending: check the status, or await the Async form");

    public static readonly DiagnosticDescriptor DroppedTask = Warning("FAS102",
        "A task of a store or session is dropped",
        "'{0}' is not awaited, so its errors are lost, and calls of the session may overlap: await it");

    public static readonly DiagnosticDescriptor IgnoredTransaction = Warning("FAS103",
        "How a transaction ended is ignored",
        "How the transaction '{0}' ended is ignored; if it has aborted, nothing has changed: check its status");

    private static DiagnosticDescriptor Error(string id, string title, string message, params string[] tags) =>
        Make(id, title, message, DiagnosticSeverity.Error, tags);

    private static DiagnosticDescriptor Warning(string id, string title, string message) =>
        Make(id, title, message, DiagnosticSeverity.Warning);

    private static DiagnosticDescriptor Make(
        string id, string title, string message, DiagnosticSeverity severity, params string[] tags) =>
        new(id, title, message, Category, severity, isEnabledByDefault: true, Description(id), null, tags);

    // Returns the page without its title, and where it is.
    private static string Description(string id)
    {
        using Stream page = typeof(Descriptors).Assembly.GetManifestResourceStream(id + ".md")!;
        string text = new StreamReader(page).ReadToEnd();
        return $"{text.Substring(text.IndexOf('\n') + 1).Trim()}\n\n"
            + $"This is docs/reference/diagnostics/{id}.md of the package Faster.Stores.";
    }
}
