using Faster.Generators.Models;
using Faster.Generators.Parsing;

namespace Faster.Generators.Emitting;

/// <summary>
/// The names and signatures of one transaction in emitted code. Parameters have the names of the user's, so locals and
/// further parameters are named around them.
/// </summary>
internal sealed class TransactionPlan
{
    private const string Status = "global::Faster.TransactionStatus";

    private readonly HashSet<string> _taken;

    public TransactionPlan(StoreModel store, TransactionModel model)
    {
        Store = store;
        Model = model;
        _taken = new(
            model.Parameters.SelectMany(static p => new[] { p.Name, Many(p) }).Select(static n => n.TrimStart('@')));
    }

    public StoreModel Store { get; }

    public TransactionModel Model { get; }

    /// <summary>The name of the emitted methods, the first form.</summary>
    public string Name => StoreFrame.Escape(Model.Name);

    public string Keys => Model.Name + "Keys";

    public string Batch => Model.Name + "Batch";

    public string Struct => Model.Name + "Transaction";

    /// <summary>The type of the result that a caller awaits.</summary>
    public string Result => Model.Output is { } output ? $"global::Faster.TransactionResult<{output.Type}>" : Status;

    /// <summary>The engine's type of the keys.</summary>
    public string KeyType => KeyForms.EngineType(Store.Key);

    /// <summary>Whether a batch is worth its code: the keys of a dynamic one are not known before it runs.</summary>
    public bool HasBatch => !Model.IsDynamic;

    /// <summary>Whether the values are worked on where they are, and not decoded before and encoded after.</summary>
    public bool IsDirect(TransactionParameter record) =>
        Store.Value.Kind == DataKind.Unmanaged && !record.IsNullable;

    /// <summary>Whether values are decoded into an array, since records of a set may also be there apart.</summary>
    public bool DecodesAll => Model.Sets.FirstOrDefault() is { } set && !IsDirect(set);

    public static IEnumerable<TransactionPlan> Of(StoreModel store) =>
        store.Transactions.Select(model => new TransactionPlan(store, model));

    /// <summary>Returns a name for a local or a further parameter.</summary>
    public string Free(string name)
    {
        while (_taken.Contains(name)) name += "_";
        return name;
    }

    /// <summary>Returns the type of the transaction in one of its forms: Status or Awaited.</summary>
    public string In(string form) => $"{Struct}<{Names.Contracts}.{form}Form<{Result}>>";

    public string StatusSignature() =>
        $"{Status} {Name}({Parameters(p => p.Role == TransactionRole.Output ? $"out {p.Type} {p.Name}" : Single(p))})";

    public string AsyncSignature()
    {
        string own = Parameters(Single);
        string separator = own.Length == 0 ? "" : ", ";
        return $"{Names.Task(Result)} {Model.Name}Async(\n"
            + $"    {own}{separator}{Names.Token} {Free("cancellationToken")} = default)";
    }

    public string BatchSignature(bool isNumbered)
    {
        string number = isNumbered ? $",\n    long? {Free("serialNumber")} = null" : "";
        return $"void {Model.Name}Batch(\n"
            + $"    {Parameters(Plural)},\n    global::System.Span<{Result}> {Results}{number})";
    }

    /// <summary>The parameter of a batch that receives the results.</summary>
    public string Results => Free(Model.Output is null ? "statuses" : "results");

    /// <summary>The parameters of a batch that are as long as the batch.</summary>
    public IEnumerable<TransactionParameter> Given => Model.Parameters
        .Where(static p => p.IsSingle || p.IsSet || p.Role == TransactionRole.Input);

    /// <summary>Returns the name of a parameter in a batch.</summary>
    public static string Many(TransactionParameter parameter) =>
        parameter.IsSet ? parameter.Name : StoreFrame.Escape(parameter.Name.TrimStart('@') + "s");

    private string? Single(TransactionParameter p) => Type(p) is { } type ? $"{type} {p.Name}" : null;

    private string? Plural(TransactionParameter p) => p.IsSet
        ? $"{Names.Span($"global::System.ReadOnlyMemory<{KeyForms.BatchType(Store.Key)}>")} {Many(p)}"
        : p.IsSingle ? $"{Names.Span(KeyForms.BatchType(Store.Key))} {Many(p)}"
        : p.Role == TransactionRole.Input ? $"{Names.Span(p.Type)} {Many(p)}"
        : null;

    private string? Type(TransactionParameter p) => p.IsSingle ? KeyForms.ParameterType(Store.Key)
        : p.IsSet ? Names.Span(KeyForms.BatchType(Store.Key))
        : p.Role == TransactionRole.Input ? p.Type
        : null;

    private string Parameters(Func<TransactionParameter, string?> show) =>
        string.Join(", ", Model.Parameters.Select(show).Where(static shown => shown is not null));
}
