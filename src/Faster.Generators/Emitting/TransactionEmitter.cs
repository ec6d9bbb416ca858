using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes the class of what transactions consist of: for each the struct of its keys, the struct that the engine runs,
/// and the struct of a batch.
/// </summary>
internal sealed class TransactionEmitter(IndentedWriter writer, TransactionPlan plan)
{
    /// <summary>The name of the class.</summary>
    public const string Parts = "TransactionParts";

    private const string Access = Names.Contracts + ".RecordAccess";
    private const string Encoded = Names.Contracts + ".EncodedBatch";
    private const string Status = "global::Faster.TransactionStatus";

    private readonly StoreModel _store = plan.Store;
    private readonly TransactionModel _model = plan.Model;

    public static void EmitAll(IndentedWriter writer, StoreModel store)
    {
        if (store.Transactions.Count == 0) return;
        writer.Lines("/// <summary>What transactions consist of.</summary>");
        writer.Lines(Names.GeneratedCode);
        using var _ = writer.Open($"private static class {Parts}");
        foreach (TransactionPlan plan in TransactionPlan.Of(store)) new TransactionEmitter(writer, plan).Emit();
        TransactionBodies.EmitShared(writer, store);
    }

    private void Emit()
    {
        if (!_model.IsDynamic) Keys();
        Struct();
        if (plan.HasBatch) Batch();
    }

    private void Keys()
    {
        using var _ = writer.Open(
            $"public ref struct {plan.Keys} : {Names.Contracts}.IKeySet<{plan.KeyType}>");
        int singles = _model.Singles.Count(), sets = _model.Sets.Count();
        if (_store.Key.IsEncoded) writer.Lines($"public {Encoded} Encoded;\npublic int First;");
        for (int i = 0; i < singles && !_store.Key.IsEncoded; i++)
            writer.Lines($"public {KeyForms.ParameterType(_store.Key)} Key{i};");
        for (int i = 0; i < sets; i++)
        {
            writer.Lines(_store.Key.IsEncoded
                ? $"public int Count{i};"
                : $"public {Names.Span(KeyForms.BatchType(_store.Key))} Set{i};");
        }

        writer.Blank();
        bool isReadOnly = _model.Parameters.All(static p => !p.IsWritten);
        writer.Lines($"public static int FixedCount => {(sets == 0 ? singles : 0)};");
        writer.Lines($"public static bool IsReadOnly => {(isReadOnly ? "true" : "false")};");
        string counts = string.Concat(Enumerable.Range(0, sets).Select(i => $" + {CountOf(i)}"));
        writer.Lines($"public readonly int Count => {singles}{counts};");
        writer.Blank();
        GetKey(singles, sets);
        GetAccess();
    }

    private string CountOf(int set) => _store.Key.IsEncoded ? $"Count{set}" : $"Set{set}.Length";

    private void GetKey(int singles, int sets)
    {
        string Key(string bytes) => $"new {plan.KeyType}({bytes})";
        if (_store.Key.IsEncoded)
        {
            writer.Lines($"public readonly {plan.KeyType} GetKey(int index) => {Key("Encoded[First + index].Span")};");
            writer.Blank();
            return;
        }

        using var _ = writer.Open($"public readonly {plan.KeyType} GetKey(int index)");
        string item = _store.Key.Kind == DataKind.Bytes ? ".Span" : "";
        for (int i = 0; i < singles; i++)
        {
            bool isLast = i == singles - 1 && sets == 0;
            writer.Lines($"{(isLast ? "" : $"if (index == {i}) ")}return {Key($"Key{i}")};");
        }

        for (int i = 0; i < sets; i++)
        {
            string less = i == 0 ? $"{singles}" : CountOf(i - 1);
            if (less != "0") writer.Lines($"index -= {less};");
            bool isLast = i == sets - 1;
            writer.Lines($"{(isLast ? "" : $"if (index < {CountOf(i)}) ")}return {Key($"Set{i}[index]{item}")};");
        }
    }

    // Only as many comparisons as the access changes: most transactions have one.
    private void GetAccess()
    {
        TransactionParameter[] all = [.. _model.Singles, .. _model.Sets];
        int singles = _model.Singles.Count();
        if (all.All(p => p.IsWritten == all[0].IsWritten))
        {
            writer.Lines($"public readonly {Access} GetAccess(int index) => {AccessOf(all[0])};");
            writer.Blank();
            return;
        }

        using var _ = writer.Open($"public readonly {Access} GetAccess(int index)");
        for (int i = 0; i < all.Length - 1; i++)
        {
            if (all[i].IsWritten == all[i + 1].IsWritten) continue;
            string end = i < singles ? $"{i + 1}" : string.Join(
                " + ", Enumerable.Range(0, i - singles + 1).Select(CountOf).Prepend($"{singles}"));
            writer.Lines($"if (index < {end}) return {AccessOf(all[i])};");
        }

        writer.Lines($"return {AccessOf(all[all.Length - 1])};");
    }

    private static string AccessOf(TransactionParameter p) => $"{Access}.{(p.IsWritten ? "Write" : "Read")}";

    private void Struct()
    {
        string contract = _model.IsDynamic ? "IDynamicTransaction" : "ITransaction";
        using var _ = writer.Open(
            $"public struct {plan.Struct}<TForm> : {Names.Contracts}.{contract}\n"
            + $"    where TForm : struct, {Names.Contracts}.IOperationForm<TForm, {plan.Result}>");
        foreach (TransactionParameter input in _model.Inputs) writer.Lines($"public {input.Type} Input{input.Index};");
        foreach (TransactionParameter key in _model.Keys) writer.Lines($"public {KeyField()} KeyOf{key.Index};");
        foreach (TransactionParameter set in _model.Sets) writer.Lines($"public int Count{set.Index};");
        if (_model.Output is { } output) writer.Lines($"public {output.Type} Output;");
        writer.Lines("public TForm Form;");
        writer.Blank();
        if (!_model.IsDynamic)
        {
            string size = _store.Value.Kind == DataKind.Unmanaged
                ? $"{Names.Unsafe}.SizeOf<{_store.Value.Type}>()"
                : "0";
            writer.Lines($"public static int ValueSize => {size};");
        }

        writer.Lines("public static bool IsAwaited => TForm.IsAwaited;");
        writer.Blank();
        new TransactionBodies(writer, plan).Emit();
        if (_model.Output is not null)
        {
            writer.Lines($"public readonly {plan.Result} Result({Status} status) =>");
            writer.Lines($"    new(status, status == {Status}.Conflicted ? default! : Output);");
            writer.Blank();
        }

        writer.Lines("public void Capture() => Form = TForm.Capture();");
        writer.Blank();
        writer.Lines($"public void Complete({Status} status, {Names.Exception}? error) =>");
        writer.Lines($"    Form.Pending?.Complete({ResultOf("status")}, error);");
    }

    private string ResultOf(string status) => _model.Output is null ? status : $"Result({status})";

    private string KeyField() => _store.Key.Kind == DataKind.Bytes ? "byte[]" : _store.Key.Type;

    private void Batch()
    {
        string transaction = plan.In("Status");
        using var _ = writer.Open(
            $"public ref struct {plan.Batch}\n"
            + $"    : {Names.Contracts}.ITransactionBatch<{plan.KeyType}, {plan.Keys}, {transaction}>");
        string item = KeyForms.BatchType(_store.Key);
        if (_store.Key.IsEncoded) writer.Lines($"public {Encoded} Encoded;\npublic int[] Firsts;");
        foreach (TransactionParameter p in _model.Singles) writer.Lines($"public {Names.Span(item)} Key{p.Index};");
        foreach (TransactionParameter p in _model.Sets)
            writer.Lines($"public {Names.Span($"global::System.ReadOnlyMemory<{item}>")} Set{p.Index};");
        foreach (TransactionParameter p in _model.Inputs) writer.Lines($"public {Names.Span(p.Type)} Input{p.Index};");
        writer.Lines($"public global::System.Span<{plan.Result}> Results;");
        writer.Blank();
        writer.Lines("public readonly int Count => Results.Length;");
        writer.Blank();
        Maker($"{plan.Keys} GetKeys", [.. KeyFields()]);
        Maker($"{transaction} GetTransaction", [.. TransactionFields()]);
        writer.Lines($"public void SetResult(int index, {Status} status, ref {transaction} transaction) =>");
        writer.Lines($"    Results[index] = {(_model.Output is null ? "status" : "transaction.Result(status)")};");
    }

    private void Maker(string header, string[] fields)
    {
        writer.Lines($"public readonly {header}(int index) => new(){(fields.Length == 0 ? ";" : "")}");
        if (fields.Length > 0) writer.Lines($"{{\n{string.Concat(fields.Select(static f => $"    {f},\n"))}}};");
        writer.Blank();
    }

    private IEnumerable<string> KeyFields()
    {
        string span = _store.Key.Kind == DataKind.Bytes ? ".Span" : "";
        if (!_store.Key.IsEncoded)
        {
            return _model.Singles.Select(p => $"Key{p.Index} = Key{p.Index}[index]{span}")
                .Concat(_model.Sets.Select(static p => $"Set{p.Index} = Set{p.Index}[index].Span"));
        }

        return _model.Sets.Select(static p => $"Count{p.Index} = Set{p.Index}[index].Length")
            .Prepend("First = Firsts[index]").Prepend("Encoded = Encoded");
    }

    private IEnumerable<string> TransactionFields()
    {
        string copy = _store.Key.Kind == DataKind.Bytes ? ".ToArray()" : "";
        return _model.Inputs.Select(static p => $"Input{p.Index} = Input{p.Index}[index]")
            .Concat(_model.Keys.Select(p => $"KeyOf{p.Index} = Key{p.Index}[index]{copy}"))
            .Concat(_model.Sets.Select(static p => $"Count{p.Index} = Set{p.Index}[index].Length"));
    }
}
