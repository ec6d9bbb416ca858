using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>
/// Writes how a transaction runs: the call of the user's method, and the decoding and encoding around it.
/// </summary>
/// <remarks>
/// Values of an unmanaged type that can't be null are worked on where they are. Others are decoded into locals, or,
/// where a set may have the record of another parameter, into an array with one place for each record.
/// </remarks>
internal sealed class TransactionBodies(IndentedWriter writer, TransactionPlan plan)
{
    private const string Records = Names.Contracts + ".TransactionRecords";
    private const string Dynamic = Names.Contracts + ".DynamicRecords";

    private readonly TransactionModel _model = plan.Model;

    /// <summary>Writes the method that runs the transaction.</summary>
    public void Emit()
    {
        string type = _model.IsDynamic ? Dynamic : "scoped " + Records;
        using var _ = writer.Open($"public bool Run({type} records)");
        int singles = _model.Singles.Count();
        if (plan.DecodesAll)
        {
            string all = string.Concat(_model.Sets.Select(static s => $" + Count{s.Index}"));
            writer.Lines($"using var decoded = new {Names.Contracts}.DecodedRecords<{_model.Sets.First().Type}>("
                + "records.Count);");
            writer.Lines($"int keys = {singles}{all};");
            writer.Lines("for (int key = 0; key < keys; key++)");
            writer.Lines($"    decoded.Values[records.PlaceOf(key)] = {Get(_model.Sets.First(), "key")};");
            foreach (TransactionParameter p in _model.Singles.Where(static p => p.IsWritten))
                writer.Lines($"records.Touch({p.Index});");
        }
        else
        {
            foreach (TransactionParameter p in _model.Singles.Where(p => !plan.IsDirect(p)))
                writer.Lines($"{p.Type} record{p.Index} = {Get(p, $"{p.Index}")};");
        }

        string call = Call();
        TransactionParameter[] put = plan.DecodesAll
            ? []
            : [.. _model.Singles.Where(p => p.IsWritten && !plan.IsDirect(p))];
        if (put.Length == 0 && !plan.DecodesAll && _model.ReturnsBool)
        {
            writer.Lines($"return {call};");
            return;
        }

        writer.Lines(_model.ReturnsBool ? $"if (!{call}) return false;" : $"{call};");
        foreach (TransactionParameter p in put) writer.Lines($"Put(records, {p.Index}, record{p.Index});");
        if (plan.DecodesAll && _model.Parameters.Any(static p => p.IsWritten))
        {
            using var loop = writer.Open("for (int key = 0; key < keys; key++)");
            writer.Lines("if (records.IsChanged(key)) Put(records, key, decoded.Values[records.PlaceOf(key)]);");
        }

        writer.Lines("return true;");
    }

    /// <summary>Writes what the transactions of a store have in common.</summary>
    public static void EmitShared(IndentedWriter writer, StoreModel store)
    {
        TransactionPlan[] plans = [.. TransactionPlan.Of(store)];
        TransactionParameter[] decoded = [.. plans.SelectMany(static plan => plan.Model.Parameters
            .Where(p => (p.IsSingle || p.IsSet) && !plan.IsDirect(p) && p.Type != Names.Bytes))];
        string value = $"{store.Value.Type}?";
        if (decoded.Any(static p => p.IsNullable)) EmitGet(writer, store, "Get", value, "null");
        if (decoded.Any(static p => !p.IsNullable)) EmitGet(writer, store, "GetPlain", store.Value.Type, Absent(store));
        if (decoded.Any(static p => p.IsWritten)) EmitPut(writer, store, value);
        foreach (TransactionModel model in store.Transactions.Where(static m => m.IsOverloaded))
        {
            PartsEmitter.Exact(
                writer, store, "Call" + model.Name, Parsing.StoreFrame.Escape(model.Name), model.ReturnsBool,
                model.Parameters.Select(static p => p.Declared));
        }

        if (store.Transactions.Any(static m => m.IsDynamic)) EmitCodec(writer, store);
    }

    private static string Get(TransactionParameter record, string key) => record.Type == Names.Bytes
        ? $"records.Bytes({key})"
        : $"{(record.IsNullable ? "Get" : "GetPlain")}(records, {key})";

    private string Call()
    {
        int singles = _model.Singles.Count();
        IEnumerable<string> arguments = _model.Parameters.Select(p =>
        {
            string argument = p.Role switch
            {
                TransactionRole.Input => $"Input{p.Index}",
                TransactionRole.Output => "Output",
                TransactionRole.Key => $"KeyOf{p.Index}",
                TransactionRole.Dynamic => $"new {p.Type}(records, Codec.Instance)",
                TransactionRole.ReadSet or TransactionRole.WrittenSet => Set(p, singles),
                _ => Record(p),
            };
            return p.Declared.Passing switch
            {
                Passing.Ref => "ref " + argument,
                Passing.Out => "out " + argument,
                Passing.In when p.IsSingle => "in " + argument,
                _ => argument, // what is made for the call is passed by a read-only reference without a word
            };
        });
        string called = _model.IsOverloaded
            ? "Call" + _model.Name
            : $"{plan.Store.FullName}.{plan.Name}";
        return $"{called}({string.Join(", ", arguments)})";
    }

    private string Record(TransactionParameter p) => plan.DecodesAll ? $"decoded.Values[records.PlaceOf({p.Index})]"
        : !plan.IsDirect(p) ? $"record{p.Index}"
        : $"records.{(p.IsWritten ? "Write" : "Read")}<{p.Type}>({p.Index})";

    private string Set(TransactionParameter set, int singles)
    {
        string first = string.Join(
            " + ", Enumerable.Range(0, set.Index).Select(static i => $"Count{i}").Prepend($"{singles}"));
        string type = set.IsWritten ? "Records" : "ReadOnlyRecords";
        string decoded = plan.DecodesAll ? "decoded.Values" : "default";
        return $"new {Names.Faster}.{type}<{set.Type}>(records, {decoded}, {first}, Count{set.Index})";
    }

    private static string Absent(StoreModel store) => store.Value.Kind switch
    {
        DataKind.Text => "\"\"",
        DataKind.Bytes => "global::System.Array.Empty<byte>()",
        _ => $"default({store.Value.Type})!",
    };

    private static void EmitGet(IndentedWriter writer, StoreModel store, string name, string type, string absent)
    {
        string decoded = store.Value.Kind == DataKind.Unmanaged
            ? $"records.Read<{store.Value.Type}>(key)"
            : StoreEmitter.Decode(store.Value, "records.Bytes(key)", "ValueCodec");
        writer.Lines($"private static {type} {name}({Records} records, int key) =>");
        writer.Lines($"    records.Exists(key) ? {decoded} : {absent};");
        writer.Blank();
    }

    private static void EmitPut(IndentedWriter writer, StoreModel store, string value)
    {
        using var _ = writer.Open($"private static void Put({Records} records, int key, {value} value)");
        using (writer.Open("if (value is not { } written)"))
        {
            writer.Lines("records.Delete(key);");
            writer.Lines("return;");
        }

        if (store.Value.Kind == DataKind.Unmanaged)
        {
            writer.Lines($"records.Write<{store.Value.Type}>(key) = written;");
            return;
        }

        writer.Lines("int from = records.Buffer.Written.Length;");
        writer.Lines(Encode(store.Value, "ValueCodec", "written", "records.Buffer"));
        writer.Lines("records.EndValue(key, from);");
    }

    private static string Encode(DataModel data, string nested, string value, string destination) => data.Kind switch
    {
        DataKind.Unmanaged =>
            $"global::System.Buffers.BuffersExtensions.Write<byte>({destination}, {Names.Marshal}.AsBytes("
            + $"new global::System.ReadOnlySpan<{data.Type}>(in {value})));",
        DataKind.Bytes => $"global::System.Buffers.BuffersExtensions.Write<byte>({destination}, {value});",
        _ => $"{KeyForms.Codec(data, nested)}.Encode({value}, {destination});",
    };

    private static void EmitCodec(IndentedWriter writer, StoreModel store)
    {
        string key = store.Key.Type, value = store.Value.Type;
        using var _ = writer.Open(
            $"public sealed class Codec : {Names.Contracts}.RecordCodec<{key}, {value}>");
        writer.Lines("public static readonly Codec Instance = new();");
        writer.Blank();
        writer.Lines($$"""
            public override void EncodeKey({{key}} key, {{Names.Buffer}} destination)
            {
                {{Encode(store.Key, "KeyCodec", "key", "destination")}}
            }

            public override void EncodeValue({{value}} value, {{Names.Buffer}} destination)
            {
                {{Encode(store.Value, "ValueCodec", "value", "destination")}}
            }

            public override {{value}} DecodeValue({{Names.Bytes}} bytes) =>
                {{StoreEmitter.Decode(store.Value, "bytes", "ValueCodec")}};
            """);
    }
}
