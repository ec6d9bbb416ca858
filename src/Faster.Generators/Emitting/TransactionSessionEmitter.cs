using Faster.Generators.Models;

namespace Faster.Generators.Emitting;

/// <summary>Writes a transaction's methods of the session, and what a fake inherits.</summary>
internal sealed class TransactionSessionEmitter(IndentedWriter writer, TransactionPlan plan)
{
    private const string Status = "global::Faster.TransactionStatus";
    private const string Encoded = Names.Contracts + ".EncodedBatch";

    private readonly TransactionModel _model = plan.Model;
    private readonly DataModel _key = plan.Store.Key;

    private bool IsNumbered => plan.Store.Engine.Has(Capabilities.Commits);

    private string Shown => _model.Name;

    /// <summary>Writes the methods of a session.</summary>
    public void Emit()
    {
        StatusForm();
        AsyncForm();
        if (!plan.HasBatch) return;
        BatchForm();
        if (plan.Store.HasCommittingStore && IsNumbered) Unnumbered();
    }

    /// <summary>Writes the members of the interface: a fake implements the first, and inherits the others.</summary>
    public void EmitInterface()
    {
        writer.Lines($"/// <summary>Runs the transaction <c>{Shown}</c>.</summary>");
        writer.Lines(plan.StatusSignature() + ";");
        writer.Blank();
        writer.Lines($"/// <summary>Runs the transaction <c>{Shown}</c>, and waits for the result.</summary>");
        string status = plan.Free("status");
        using (writer.Open(plan.AsyncSignature()))
        {
            writer.Lines($"{Status} {status} = {Call(static p => p.Name)};");
            writer.Lines($"return new {Names.Task(plan.Result)}({ResultOf(status)});");
        }

        if (!plan.HasBatch) return;
        writer.Lines($"/// <summary>Runs the transaction <c>{Shown}</c> many times in one call.</summary>");
        using var _ = writer.Open(plan.BatchSignature(IsNumbered));
        string i = plan.Free("i");
        using var loop = writer.Open($"for (int {i} = 0; {i} < {plan.Results}.Length; {i}++)");
        writer.Lines($"{Status} {status} = {Call(p => Item(p, i))};");
        writer.Lines($"{plan.Results}[{i}] = {ResultOf(status)};");
    }

    private void StatusForm()
    {
        Docs(isAsync: false);
        using var _ = writer.Open("public " + plan.StatusSignature());
        string transaction = Prepare("Status");
        if (_model.Output is not { } output)
        {
            writer.Lines($"return {Run(transaction, "Status")};");
            return;
        }

        string status = plan.Free("status");
        writer.Lines($"{Status} {status} = {Run(transaction, "Status")};");
        writer.Lines($"{output.Name} = {transaction}.Result({status}).Value;");
        writer.Lines($"return {status};");
    }

    private void AsyncForm()
    {
        Docs(isAsync: true);
        using var _ = writer.Open("public " + plan.AsyncSignature());
        string transaction = Prepare("Awaited");
        string status = plan.Free("status"), pending = plan.Free("pending");
        writer.Lines($"{Status} {status} = {Run(transaction, "Awaited")};");
        string result = _model.Output is null ? status : $"{transaction}.Result({status})";
        writer.Lines($"return {transaction}.Form.Pending is {{ }} {pending}");
        writer.Lines($"    ? {pending}.WaitAsync({plan.Free("cancellationToken")})");
        writer.Lines($"    : new {Names.Task(plan.Result)}({result});");
    }

    private void BatchForm()
    {
        writer.Lines(
            $"/// <summary>Runs the transaction <c>{Shown}</c> many times; returns when all are done.</summary>");
        foreach (TransactionParameter p in plan.Given)
            Param(TransactionPlan.Many(p), $"{What(p)}, for each transaction.");
        Param(plan.Results, "Receives how each transaction ended.");
        const string number = "One for all, of which a commit then has all or nothing; null: one each.";
        if (IsNumbered) Param(plan.Free("serialNumber"), number);
        const string exception = "global::System.ArgumentException";
        writer.Lines($"/// <exception cref=\"{exception}\">");
        writer.Lines("/// The spans have different lengths, or keys of one transaction are equal; then none has run.");
        writer.Lines("/// </exception>");
        using var _ = writer.Open("public " + plan.BatchSignature(IsNumbered));
        string keys = TransactionPlan.Many(plan.Given.First(static p => p.Role != TransactionRole.Input));
        foreach (string span in plan.Given.Select(TransactionPlan.Many).Append(plan.Results).Where(s => s != keys))
        {
            writer.Lines($"{Names.Contracts}.BatchLength.ThrowIfOther("
                + $"{span}.Length, {keys}.Length, \"{Plain(span)}\");");
        }

        string more = _key.IsEncoded ? EncodeBatch() : CheckBatch();
        IEnumerable<string> spans = plan.Given.Select(static p =>
            $"{(p.IsSingle ? "Key" : p.IsSet ? "Set" : "Input")}{p.Index} = {TransactionPlan.Many(p)}");
        string type = $"{TransactionEmitter.Parts}.{plan.Batch}", batch = plan.Free("batch");
        writer.Lines($"{type} {batch} = new()");
        writer.Lines("{");
        writer.Lines($"    {string.Join(", ", spans)},\n    {more}Results = {plan.Results},");
        writer.Lines("};");
        string passed = IsNumbered ? plan.Free("serialNumber") : "null";
        writer.Lines($"base.RunBatch<{Types("Status")}, {type}>(\n    ref {batch}, {passed});");
    }

    // The batch of the interface, which has no serial number where other engines of the class do not commit.
    private void Unnumbered()
    {
        string arguments = string.Join(", ", plan.Given.Select(TransactionPlan.Many));
        writer.Lines($"void ISession.{plan.BatchSignature(isNumbered: false).Substring("void ".Length)} =>");
        writer.Lines($"    {plan.Batch}({arguments}, {plan.Results}, null);");
        writer.Blank();
    }

    // Writes the locals with keys and transaction; returns the name of the latter.
    private string Prepare(string form)
    {
        string transaction = plan.Free("transaction"), keys = plan.Free("keys");
        if (!_model.IsDynamic)
        {
            IEnumerable<string> fields = _key.IsEncoded
                ? new[] { $"Encoded = {Encode()}", "First = 0" }
                    .Concat(_model.Sets.Select(static s => $"Count{s.Index} = {s.Name}.Length"))
                : _model.Singles.Select(static s => $"Key{s.Index} = {s.Name}")
                    .Concat(_model.Sets.Select(static s => $"Set{s.Index} = {s.Name}"));
            if (!_key.IsEncoded) Distinct(static p => p.Name);
            writer.Lines(
                $"{TransactionEmitter.Parts}.{plan.Keys} {keys} = new() {{ {string.Join(", ", fields)} }};");
        }

        TransactionParameter[] singles = [.. _model.Singles];
        string copy = _key.Kind == DataKind.Bytes ? ".ToArray()" : "";
        string[] set =
        [
            .. _model.Inputs.Select(static p => $"Input{p.Index} = {p.Name}"),
            .. _model.Keys.Select(p => $"KeyOf{p.Index} = {singles[p.Index].Name}{copy}"),
            .. _model.Sets.Select(static p => $"Count{p.Index} = {p.Name}.Length"),
        ];
        string initializer = set.Length == 0 ? "" : $" {{ {string.Join(", ", set)} }}";
        writer.Lines($"{TransactionEmitter.Parts}.{plan.In(form)} {transaction} = new(){initializer};");
        return transaction;
    }

    private string Run(string transaction, string form) => _model.IsDynamic
        ? $"base.RunDynamic(ref {transaction})"
        : $"base.Run<{Types(form)}>(\n    ref {plan.Free("keys")}, ref {transaction})";

    private string Types(string form) => $"{plan.KeyType}, {TransactionEmitter.Parts}.{plan.Keys}, "
        + $"{TransactionEmitter.Parts}.{plan.In(form)}";

    // Encodes the keys one after another; returns the local that has them.
    private string Encode()
    {
        string encoded = plan.Free("encoded"), key = plan.Free("key");
        string count = string.Concat(_model.Sets.Select(static s => $" + {s.Name}.Length"));
        writer.Lines($"using {Encoded} {encoded} = new {Encoded}({_model.Singles.Count()}{count});");
        foreach (TransactionParameter p in _model.Singles) Encode(p.Name, encoded);
        foreach (TransactionParameter p in _model.Sets)
        {
            using var _ = writer.Open($"foreach ({_key.Type} {key} in {p.Name})");
            Encode(key, encoded);
        }

        Distinct(p => $"{encoded}[{p.Index}].Span");
        return encoded;
    }

    private void Encode(string key, string encoded)
    {
        writer.Lines($"{KeyForms.Codec(_key, "KeyCodec")}.Encode({key}, {encoded}.Buffer);");
        writer.Lines($"{encoded}.EndItem();");
    }

    // Encodes the keys of all transactions; returns the fields of the batch that have them.
    private string EncodeBatch()
    {
        string encoded = plan.Free("encoded"), firsts = plan.Free("firsts"), first = plan.Free("first");
        string total = plan.Free("total"), i = plan.Free("i"), key = plan.Free("key");
        writer.Lines($"int {total} = {_model.Singles.Count()} * {plan.Results}.Length;");
        foreach (TransactionParameter p in _model.Sets)
            writer.Lines($"foreach (var {key} in {p.Name}) {total} += {key}.Length;");
        writer.Lines($"using {Encoded} {encoded} = new {Encoded}({total});");
        writer.Lines($"int[] {firsts} = new int[{plan.Results}.Length];");
        writer.Lines($"int {first} = 0;");
        using (writer.Open($"for (int {i} = 0; {i} < {firsts}.Length; {i}++)"))
        {
            writer.Lines($"{firsts}[{i}] = {first};");
            foreach (TransactionParameter p in _model.Singles) Encode($"{TransactionPlan.Many(p)}[{i}]", encoded);
            Distinct(p => $"{encoded}[{first} + {p.Index}].Span");
            foreach (TransactionParameter p in _model.Sets)
            {
                using var _ = writer.Open($"foreach ({_key.Type} {key} in {p.Name}[{i}].Span)");
                Encode(key, encoded);
            }

            string more = string.Concat(_model.Sets.Select(p => $" + {p.Name}[{i}].Length"));
            writer.Lines($"{first} += {_model.Singles.Count()}{more};");
        }

        return $"Encoded = {encoded}, Firsts = {firsts}, ";
    }

    private string CheckBatch()
    {
        if (_model.Singles.Count() < 2) return "";
        string i = plan.Free("i");
        using var _ = writer.Open($"for (int {i} = 0; {i} < {plan.Results}.Length; {i}++)");
        Distinct(p => Item(p, i));
        return "";
    }

    private void Distinct(Func<TransactionParameter, string> key)
    {
        TransactionParameter[] singles = [.. _model.Singles];
        for (int i = 0; i < singles.Length; i++)
        {
            for (int j = i + 1; j < singles.Length; j++)
            {
                string names = $"\"{Plain(singles[i].Name)}\", \"{Plain(singles[j].Name)}\"";
                writer.Lines($"{Names.Contracts}.DistinctKeys.ThrowIfEqual("
                    + $"{key(singles[i])}, {key(singles[j])}, {names});");
            }
        }
    }

    private void Docs(bool isAsync)
    {
        string form = isAsync ? ", and completes when it is as durable as the store promises" : "";
        writer.Lines($"/// <summary>Runs the transaction <c>{Shown}</c>{form}.</summary>");
        foreach (TransactionParameter p in _model.Parameters)
        {
            bool isShown = p.IsSingle || p.IsSet || p.Role == TransactionRole.Input
                || (p.Role == TransactionRole.Output && !isAsync);
            if (isShown) Param(p.Name, What(p) + ".");
        }

        if (isAsync) Param(plan.Free("cancellationToken"), "Cancels the wait, not the transaction.");
        if (_model.Singles.Count() < 2) return;
        writer.Lines("/// <exception cref=\"global::System.ArgumentException\">Two of the keys are equal.</exception>");
    }

    private void Param(string name, string text) =>
        writer.Lines($"/// <param name=\"{Plain(name)}\">{text}</param>");

    private static string What(TransactionParameter p) => p.Role switch
    {
        TransactionRole.Read => "The key of a record that is read",
        TransactionRole.Written => "The key of a record that is written",
        TransactionRole.ReadSet => "The keys of records that are read",
        TransactionRole.WrittenSet => "The keys of records that are written",
        TransactionRole.Output => "The output of the run that committed or aborted; otherwise the default",
        _ => "Passed to the method",
    };

    private static string Plain(string name) => name.TrimStart('@');

    private string Item(TransactionParameter p, string index)
    {
        bool isMemory = p.IsSet || (p.IsSingle && _key.Kind == DataKind.Bytes);
        return $"{TransactionPlan.Many(p)}[{index}]{(isMemory ? ".Span" : "")}";
    }

    // A call of the first form, with the output in a local of its own name.
    private string Call(Func<TransactionParameter, string> argument) => $"{plan.Name}(" + string.Join(", ",
        _model.Parameters.Where(static p => p.Role is not (TransactionRole.Key or TransactionRole.Dynamic))
            .Select(p => p.Role == TransactionRole.Output ? $"out {p.Type} {p.Name}" : argument(p))) + ")";

    private string ResultOf(string status) => _model.Output is not { } output
        ? status
        : $"new {plan.Result}({status}, {output.Name})";
}
